import type { Session } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { describe, expect, test, vi } from 'vitest';

vi.mock('@jupyterlab/ui-components', () => ({ UseSignal: () => null }));

import type { IHoldfastApi } from '../src/api';
import type { KernelMonitor } from '../src/monitor';
import { NotebookMemory, othersText } from '../src/notebookrows';
import { NotebookRow } from '../src/protocol';

function row(name: string, mebibytes: number, idle: number | null): NotebookRow {
  return { session: name, kernel: name, name, path: name, bytes: mebibytes << 20, idle };
}

test('the largest other notebook is told beside the own one', () => {
  const rows = [row('guard.ipynb', 890, 2400), row('here.ipynb', 71, 0)];
  expect(othersText(rows, 'here.ipynb')).toBe(
    '71 MiB here, 890 MiB in guard.ipynb (idle for 40 min). '
  );
});

test('small ones are not worth a word', () =>
  expect(othersText([row('a.ipynb', 20, 5), row('b.ipynb', 71, 0)], 'b.ipynb')).toBe(''));

const GUARD = row('guard.ipynb', 890, 2400);

/** A server with two notebooks; what it is asked to shut down is gone from its next answer. */
function server() {
  const running = [GUARD, row('here.ipynb', 71, 0)];
  const ended: string[] = [];
  const api: Pick<IHoldfastApi, 'notebooks'> = {
    notebooks: () => Promise.resolve(running.filter(one => !ended.includes(one.session)))
  };
  const sessions: Pick<Session.IManager, 'shutdown'> = {
    shutdown: id => {
      ended.push(id);
      return Promise.resolve();
    }
  };
  return { running, ended, api: api as IHoldfastApi, sessions };
}

function memoryOf(
  at: ReturnType<typeof server>,
  confirm: (row: NotebookRow) => Promise<boolean>
): NotebookMemory {
  const source = {} as KernelMonitor;
  const monitor = {
    changed: new Signal<KernelMonitor, void>(source),
    kernel: 'here.ipynb'
  };
  return new NotebookMemory(at.api, at.sessions, confirm, monitor);
}

describe('shutting a kernel down', () => {
  test('ends the session that was confirmed, and its row goes', async () => {
    const at = server();
    const memory = memoryOf(at, () => Promise.resolve(true));
    await memory.refresh();
    const seen: string[][] = [];
    memory.changed.connect(() => seen.push(memory.rows.map(one => one.name)));
    await memory.shutDown(GUARD);
    expect(at.ended).toEqual(['guard.ipynb']);
    expect(memory.rows.map(one => one.name)).toEqual(['here.ipynb']);
    expect(seen).toEqual([['guard.ipynb', 'here.ipynb'], ['here.ipynb']]);
    expect(memory.others).toBe('');
  });

  test('asks about it with fresh figures', async () => {
    const at = server();
    const asked: NotebookRow[] = [];
    const memory = memoryOf(at, row => Promise.resolve(asked.push(row) < 0));
    await memory.refresh();
    at.running[0] = row('guard.ipynb', 40, 0);
    await memory.shutDown(GUARD);
    expect(asked.map(one => one.bytes)).toEqual([40 << 20]);
  });

  test('ends nothing if it is not confirmed', async () => {
    const at = server();
    const memory = memoryOf(at, () => Promise.resolve(false));
    await memory.refresh();
    await memory.shutDown(GUARD);
    expect(at.ended).toEqual([]);
    expect(memory.rows).toHaveLength(2);
  });
});
