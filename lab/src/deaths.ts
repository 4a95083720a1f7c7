// Learns of a kernel's death from its last words or from the server, and fetches the reason once.

import { ISignal, Signal } from '@lumino/signaling';

import { IHoldfastApi } from './api';
import { Verdict } from './protocol';

// The server may say "restarting" a moment before the verdict is written.
const SECOND_TRY = 1500;

export interface IMortal {
  readonly session: { readonly kernel: { readonly id: string } | null } | null;
  readonly statusChanged: ISignal<IMortal, string>;
  readonly iopubMessage: ISignal<IMortal, IMessage>;
}

export interface IMessage {
  header: { msg_type: string; username: string };
  content: unknown;
}

export interface IDeath<T> {
  verdict: Verdict;
  owner: T;
}

/** The run that a dead kernel's last words name; not one from a verdict that a cell prints. */
export function runOfLastWords(message: IMessage): string | null {
  if (
    message.header.username !== 'holdfast' ||
    message.header.msg_type !== 'display_data'
  ) {
    return null;
  }
  const content = message.content as { data?: Record<string, unknown> };
  const html = content.data?.['text/html'];
  return typeof html === 'string' ? (/data-run="([0-9-]+)"/.exec(html)?.[1] ?? null) : null;
}

/** Watches any number of documents; a listener needs T to act on one. */
export class DeathWatch<T> {
  constructor(
    private api: IHoldfastApi,
    private wait = (ms: number) => new Promise<void>(done => setTimeout(done, ms))
  ) {}

  get died(): ISignal<this, IDeath<T>> {
    return this.death;
  }

  follow(mortal: IMortal, owner: T): void {
    mortal.iopubMessage.connect((_, message) => {
      const run = runOfLastWords(message);
      if (run) {
        void this.tell({ run }, owner);
      }
    });
    mortal.statusChanged.connect((_, status) => {
      const kernel = mortal.session?.kernel?.id;
      if (kernel && (status === 'autorestarting' || status === 'dead')) {
        void this.tell({ kernel }, owner);
      }
    });
  }

  private async tell(
    question: { run: string } | { kernel: string },
    owner: T
  ): Promise<void> {
    let verdict = await this.api.why(question);
    if (!verdict) {
      await this.wait(SECOND_TRY);
      verdict = await this.api.why(question);
    }
    if (verdict && !this.told.has(verdict.run.id)) {
      this.told.add(verdict.run.id);
      this.death.emit({ verdict, owner });
    }
  }

  private told = new Set<string>();
  private death = new Signal<this, IDeath<T>>(this);
}
