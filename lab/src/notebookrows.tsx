// Memory by notebook: what each kernel of the server holds, with a button that shuts it down.

import type { Session } from '@jupyterlab/services';
import { UseSignal } from '@jupyterlab/ui-components';
import { ISignal, Signal } from '@lumino/signaling';
import React from 'react';

import type { IHoldfastApi } from './api';
import { duration, human } from './format';
import type { KernelMonitor } from './monitor';
import { NotebookRow } from './protocol';

// A visible tab asks for its own kernel every 2 to 10 s, and for all of them every other time: an
// older row would contradict the figures above it.
const FRESH_MS = 3000;
const LARGE = 64 << 20;

export function stateText(row: NotebookRow): string {
  return row.idle === null
    ? ''
    : row.idle === 0
      ? 'busy'
      : `idle for ${duration(row.idle)}`;
}

/** "71 MiB here, 890 MiB in guard.ipynb (idle for 40 min). ", or nothing. */
export function othersText(rows: NotebookRow[], kernel: string | undefined): string {
  const here = rows.find(row => row.kernel === kernel);
  const other = rows.find(row => row.kernel !== kernel && (row.bytes ?? 0) >= LARGE);
  if (!other || other.bytes === null) {
    return '';
  }
  const own = here && here.bytes !== null ? `${human(here.bytes)} here, ` : '';
  const state = stateText(other);
  return `${own}${human(other.bytes)} in ${other.name}${state && ` (${state})`}. `;
}

export class NotebookMemory {
  constructor(
    private api: IHoldfastApi,
    private sessions: Pick<Session.IManager, 'shutdown'>,
    private confirm: (row: NotebookRow) => Promise<boolean>,
    private monitor: Pick<KernelMonitor, 'changed' | 'kernel'>
  ) {
    monitor.changed.connect(() => {
      if (Date.now() - this.asked > FRESH_MS) {
        void this.refresh();
      }
    });
  }

  get rows(): NotebookRow[] {
    return this.known;
  }

  get others(): string {
    return othersText(this.known, this.monitor.kernel);
  }

  get front(): string | undefined {
    return this.monitor.kernel;
  }

  get changed(): ISignal<this, void> {
    return this.change;
  }

  async refresh(): Promise<void> {
    this.asked = Date.now();
    this.known = (await this.api.notebooks()) ?? [];
    this.change.emit();
  }

  async shutDown(row: NotebookRow): Promise<void> {
    await this.refresh(); // to show what the shutdown gave back
    if (await this.confirm(this.known.find(one => one.session === row.session) ?? row)) {
      await this.sessions.shutdown(row.session);
      await this.refresh();
    }
  }

  private known: NotebookRow[] = [];
  private asked = 0;
  private change = new Signal<this, void>(this);
}

export function NotebookTable(props: {
  rows: NotebookRow[];
  front: string | undefined;
  onShutDown: (row: NotebookRow) => void;
}): React.ReactElement | null {
  if (props.rows.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>Memory by notebook</h3>
      <table className="jp-Holdfast-notebooks">
        <tbody>
          {props.rows.map(row => (
            <tr key={row.session}>
              <th scope="row" title={row.path}>
                {row.name}
                <small>
                  {[
                    row.bytes === null ? '' : human(row.bytes),
                    row.kernel === props.front ? 'in front' : stateText(row)
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </small>
              </th>
              <td>
                <button
                  type="button"
                  aria-label={`Shut down the kernel of ${row.name}`}
                  onClick={() => props.onShutDown(row)}
                >
                  Shut down
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function NotebookRows(props: { memory: NotebookMemory }): React.ReactElement {
  const { memory } = props;
  return (
    <UseSignal signal={memory.changed}>
      {() => (
        <NotebookTable
          rows={memory.rows}
          front={memory.front}
          onShutDown={row => void memory.shutDown(row)}
        />
      )}
    </UseSignal>
  );
}
