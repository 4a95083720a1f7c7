// The state of the kernel in front: asked often while it works, seldom while it idles.

import { Poll } from '@lumino/polling';
import { ISignal, Signal } from '@lumino/signaling';

import { IHoldfastApi } from './api';
import { Pace } from './pace';
import { Status } from './protocol';

const BUSY_INTERVAL = 2000;
const IDLE_INTERVAL = 10_000;

/** The part of a session that matters here; Lab's ISessionContext fits. */
export interface IKernelSource {
  readonly session: { readonly kernel: { readonly id: string } | null } | null;
  readonly kernelDisplayStatus: string;
  readonly statusChanged: ISignal<IKernelSource, unknown>;
  readonly kernelChanged: ISignal<IKernelSource, unknown>;
}

export class KernelMonitor {
  constructor(private api: IHoldfastApi) {
    this.poll = new Poll({
      name: 'holdfast:status',
      auto: false,
      factory: () => this.look(),
      frequency: { interval: BUSY_INTERVAL, backoff: true, max: 60_000 },
      standby: 'when-hidden'
    });
  }

  /** The last answer; null while no kernel is in front. */
  get status(): Status | null {
    return this.current;
  }

  get changed(): ISignal<this, void> {
    return this.change;
  }

  get serverAbsent(): boolean {
    return this.api.absent;
  }

  /** Watches this document's kernel from now on; null: watches none. */
  follow(source: IKernelSource | null): void {
    if (source === this.source) {
      return;
    }
    this.source?.statusChanged.disconnect(this.refresh, this);
    this.source?.kernelChanged.disconnect(this.forget, this);
    this.source = source;
    source?.statusChanged.connect(this.refresh, this);
    source?.kernelChanged.connect(this.forget, this);
    this.forget();
  }

  dispose(): void {
    this.follow(null);
    this.poll.dispose();
    Signal.clearData(this);
  }

  /** Asks now, and sets the interval to the next question. */
  refresh(): void {
    this.setPollInterval();
    void (this.source ? this.poll.refresh() : this.poll.stop());
  }

  /** Seconds until memory is full at the rate of the running cell; null: it does not grow. */
  get toLimit(): number | null {
    return this.busy ? this.pace.toLimit : null;
  }

  /** Whether a cell runs. */
  get busy(): boolean {
    return this.source?.kernelDisplayStatus === 'busy';
  }

  private setPollInterval(): void {
    const ended = this.current?.watched === false && this.current.ended;
    const interval = this.busy || ended ? BUSY_INTERVAL : IDLE_INTERVAL;
    if (interval !== this.poll.frequency.interval) {
      this.poll.frequency = { ...this.poll.frequency, interval };
    }
  }

  private forget(): void {
    this.set(null);
    this.refresh();
  }

  private async look(): Promise<void> {
    let kernel: string | undefined;
    let status: Status | null;
    do {
      kernel = this.kernel;
      status = kernel ? await this.api.status(kernel) : null;
      // The user may have switched to another document: a poll does not refresh while it waits.
    } while (kernel !== this.kernel);
    this.set(status);
  }

  get kernel(): string | undefined {
    return this.source?.session?.kernel?.id;
  }

  private set(status: Status | null): void {
    this.current = status;
    this.pace.add(Date.now() / 1000, status);
    this.setPollInterval();
    this.change.emit();
  }

  private poll: Poll;
  private pace = new Pace();
  private source: IKernelSource | null = null;
  private current: Status | null = null;
  private change = new Signal<this, void>(this);
}
