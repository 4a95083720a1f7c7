// What `holdfast check` found: asked for when the user opens it, for the kernel in front.

import { ISignal, Signal } from '@lumino/signaling';

export type Severity = 'blocks' | 'will-hurt' | 'note';

export interface CheckFinding {
  code: string;
  slug: string;
  severity: Severity;
  check: string;
  summary: string;
  evidence: { source: string; text: string }[];
  fixes: { text: string; code?: string }[];
}

/** As the server sends it; see docs/check.md. */
export interface CheckReport {
  python: { program: string; version: string; frameworks: string[] };
  findings: CheckFinding[]; // worst first
  fine: number;
  impossible: { check: string; why: string }[];
}

export interface ICheckApi {
  check(kernel: string | null): Promise<CheckReport | null>;
}

/** The state of a question; "failed": the server gave no answer. */
export type CheckState = 'asking' | 'failed' | CheckReport;

export class EnvironmentCheck {
  constructor(
    private api: ICheckApi,
    private kernel: () => string | null
  ) {}

  get state(): CheckState {
    return this.current;
  }

  get changed(): ISignal<this, void> {
    return this.change;
  }

  /** Asks anew; an older answer that comes late is not shown. */
  async refresh(): Promise<void> {
    const question = ++this.questions;
    this.set('asking');
    const report = await this.api.check(this.kernel());
    if (question === this.questions) {
      this.set(report ?? 'failed');
    }
  }

  private set(state: CheckState): void {
    this.current = state;
    this.change.emit();
  }

  private questions = 0;
  private current: CheckState = 'asking';
  private change = new Signal<this, void>(this);
}

/** "no NVIDIA GPU or driver (19), no thermal zones (1)": the commonest reason first. */
export function reasons(impossible: CheckReport['impossible']): string {
  const counts = new Map<string, number>();
  for (const { why } of impossible) {
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([why, count]) => `${why} (${count})`)
    .join(', ');
}
