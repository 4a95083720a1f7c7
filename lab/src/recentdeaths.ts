// The runs that ended badly, newest first; asked for when the user looks.

import { ISignal, Signal } from '@lumino/signaling';

import { IHoldfastApi } from './api';
import { RunRow } from './protocol';

export class RecentDeaths {
  constructor(private api: IHoldfastApi) {}

  get rows(): RunRow[] {
    return this.known;
  }

  get changed(): ISignal<this, void> {
    return this.change;
  }

  async refresh(): Promise<void> {
    const runs = await this.api.runs();
    if (runs) {
      this.known = runs.filter(run => run.death);
      this.change.emit();
    }
  }

  private known: RunRow[] = [];
  private change = new Signal<this, void>(this);
}
