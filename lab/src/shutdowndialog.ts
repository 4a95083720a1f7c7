// Asks before a kernel is shut down: what its variables hold is lost, and nothing brings it back.

import { Dialog, showDialog } from '@jupyterlab/apputils';

import { human } from './format';
import { stateText } from './notebookrows';
import { NotebookRow } from './protocol';

export function shutDownText(row: NotebookRow): string {
  const held = row.bytes === null ? 'its memory' : human(row.bytes);
  const state = row.idle === 0 ? ' It is running a cell.' : '';
  const idle = row.idle ? `, ${stateText(row)},` : '';
  return `The kernel of ${row.name}${idle} gives back ${held}. All its variables will be lost.${state}`;
}

export async function confirmShutDown(row: NotebookRow): Promise<boolean> {
  const answer = await showDialog({
    title: 'Shut down this kernel?',
    body: shutDownText(row),
    buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: 'Shut Down' })]
  });
  return answer.button.accept;
}
