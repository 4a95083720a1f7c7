// After a death: brings the notebook back to just before the cell that killed the kernel.

import type { Cell } from '@jupyterlab/cells';
import { Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

/** Remembers, per notebook, the cell whose execution failed last. */
export class FailedCells {
  constructor() {
    NotebookActions.executed.connect((_, { notebook, cell, success }) => {
      if (!success) {
        this.last.set(notebook, cell);
      }
    });
  }

  of(notebook: Notebook): Cell | null {
    const cell = this.last.get(notebook);
    return cell && !cell.isDisposed ? cell : null;
  }

  private last = new WeakMap<Notebook, Cell>();
}

/** Restarts, runs every cell above the one that died (else the selected one), and selects that. */
export async function restartAndRunTo(
  panel: NotebookPanel,
  failed: FailedCells
): Promise<void> {
  const { content: notebook, sessionContext } = panel;
  const cell = failed.of(notebook) ?? notebook.activeCell;
  const index = cell ? notebook.widgets.indexOf(cell) : -1;
  if (index < 0) {
    return;
  }
  await sessionContext.restartKernel();
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  if (index === 0 || (await NotebookActions.runAllAbove(notebook, sessionContext))) {
    notebook.activeCellIndex = index;
    notebook.deselectAll();
    await notebook.scrollToItem(index, 'smart');
  }
}
