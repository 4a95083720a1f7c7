// After a death: brings the notebook back to just before the cell that killed the kernel.

import { Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

import { Culprit, IFailure } from './culprit';
import { Rebirth } from './rebirth';
import { wake } from './wake';

const PATIENCE = 30_000;

/** Recovers one notebook; made when the notebook is opened, so that it sees every change. */
export class Recovery {
  constructor(private panel: NotebookPanel) {
    panel.sessionContext.statusChanged.connect((_, status) =>
      this.rebirth.statusChanged(status)
    );
    const scheduled = (_: unknown, args: { notebook: unknown; cell: Cell }) => {
      if (args.notebook === panel.content) {
        this.culprit.scheduled(args.cell);
      }
    };
    const executed = (
      _: unknown,
      args: { notebook: unknown; cell: Cell; error?: IFailure | null }
    ) => {
      if (args.notebook === panel.content) {
        this.rebirth.executed();
        this.culprit.executed(args.cell, args.error);
      }
    };
    NotebookActions.executionScheduled.connect(scheduled);
    NotebookActions.executed.connect(executed);
    panel.disposed.connect(() => {
      NotebookActions.executionScheduled.disconnect(scheduled);
      NotebookActions.executed.disconnect(executed);
    });
  }

  mourn(): void {
    this.rebirth.mourn();
    this.culprit.died();
  }

  /** Runs every cell above the one that died (or above the selected one), and selects that cell. */
  async run(): Promise<void> {
    const { content: notebook, sessionContext } = this.panel;
    const died = this.culprit.cell;
    const cell = died && !died.isDisposed ? died : notebook.activeCell;
    const message = Notification.emit('Restarting the kernel …', 'in-progress', {
      autoClose: false
    });
    try {
      if (!(await this.startedAnew())) {
        await sessionContext.restartKernel();
      }
    } catch (reason) {
      Notification.error(`The kernel could not be restarted: ${String(reason)}`);
      return;
    } finally {
      Notification.dismiss(message);
    }
    const index = cell ? notebook.widgets.indexOf(cell) : -1;
    if (index < 0) {
      return;
    }
    notebook.activeCellIndex = index;
    notebook.deselectAll();
    if (index === 0 || (await NotebookActions.runAllAbove(notebook, sessionContext))) {
      notebook.activeCellIndex = index;
      notebook.deselectAll();
      await notebook.scrollToItem(index, 'smart');
    }
  }

  /** The server restarts it by itself once it has noticed; before that, a restart is quicker. */
  private async startedAnew(): Promise<boolean> {
    if (this.rebirth.stage === 'starting') {
      const kernel = () => this.panel.sessionContext.session?.kernel;
      if (await wake(kernel, PATIENCE)) {
        this.rebirth.answered();
      }
    }
    return this.rebirth.stage === 'fresh';
  }

  private rebirth = new Rebirth();
  private culprit = new Culprit<Cell>();
}
