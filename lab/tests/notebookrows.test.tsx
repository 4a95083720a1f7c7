import { expect, test, vi } from 'vitest';

vi.mock('@jupyterlab/ui-components', () => ({ UseSignal: () => null }));

import { othersText } from '../src/notebookrows';
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
