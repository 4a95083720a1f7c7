// Puts the parts together: status item, side panel, notifications, reports.

import {
  ILabShell,
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  ISessionContext,
  MainAreaWidget,
  Notification
} from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { PathExt } from '@jupyterlab/coreutils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { IStatusBar } from '@jupyterlab/statusbar';
import { SplitPanel, Widget } from '@lumino/widgets';

import { HoldfastApi } from './api';
import { EnvironmentCheck } from './check';
import { showCheck } from './checkview';
import { DeathWatch, IMortal } from './deaths';
import { holdfastIcon } from './icon';
import { memoryRenderer } from './memoryrenderer';
import { IKernelSource, KernelMonitor } from './monitor';
import { NotebookMemory } from './notebookrows';
import { notify } from './notice';
import { RecentDeaths } from './recentdeaths';
import { Recovery } from './recover';
import { ReportWidget } from './report';
import { RestartDialogs } from './restartdialogs';
import { confirmShutDown } from './shutdowndialog';
import { SidePanel } from './sidepanel';
import { StatusItem } from './statusitem';

const PANEL = 'holdfast-panel';
const SHOW_PANEL = 'holdfast:show-panel';
const OPEN_REPORT = 'holdfast:open-report';
const CHECK = 'holdfast:check';

/** A document whose kernel can die: a notebook, or a console. */
interface IDocument {
  readonly sessionContext: ISessionContext;
  readonly recovery: Recovery | null;
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'holdfast-lab:plugin',
  description: 'Memory against its limit, and why a kernel died.',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry],
  optional: [IConsoleTracker, IStatusBar, ILabShell, ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    rendermime: IRenderMimeRegistry,
    consoles: IConsoleTracker | null,
    statusBar: IStatusBar | null,
    labShell: ILabShell | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null
  ) => {
    const api = new HoldfastApi(app.serviceManager.serverSettings);
    const monitor = new KernelMonitor(api);
    const recent = new RecentDeaths(api);
    const deaths = new DeathWatch<IDocument>(api);
    const dialogs = new RestartDialogs();
    const notices = new Map<string, string>(); // run -> id of its notification
    const recoveries = new Map<string, Recovery>(); // run -> how to recover its notebook

    rendermime.addFactory(
      memoryRenderer(
        node => notebooks.find(panel => panel.node.contains(node))?.sessionContext ?? null
      )
    );

    const showPanel = () => void app.commands.execute(SHOW_PANEL);
    const openReport = (run: string) => void app.commands.execute(OPEN_REPORT, { run });

    const memory = new NotebookMemory(
      api,
      app.serviceManager.sessions,
      confirmShutDown,
      monitor
    );
    const panel = new SidePanel(
      monitor,
      recent,
      memory,
      openReport,
      () => void app.commands.execute(CHECK)
    );
    panel.id = PANEL;
    panel.title.icon = holdfastIcon;
    panel.title.caption = 'Holdfast: memory and recent deaths';
    panel.node.setAttribute('role', 'region');
    panel.node.setAttribute('aria-label', 'Holdfast');
    app.shell.add(panel, 'right', { rank: 900, type: 'Holdfast' });
    restorer?.add(panel, PANEL);

    const item = new StatusItem(monitor, showPanel, memory);
    if (statusBar) {
      statusBar.registerStatusItem('holdfast-lab:memory', {
        item,
        align: 'left',
        rank: 4,
        isActive: () => monitor.status?.watched === true,
        activeStateChanged: monitor.changed
      });
    } else {
      // Notebook 7 has no status bar, so beside the kernel's name.
      item.id = 'holdfast-status';
      app.shell.add(item, 'menu', { rank: 900 });
    }

    app.commands.addCommand(SHOW_PANEL, {
      label: 'Show Memory of the Kernel (Holdfast)',
      execute: () => app.shell.activateById(PANEL)
    });
    app.commands.addCommand(OPEN_REPORT, {
      label: args =>
        args.run ? 'Open Report' : 'Open Report of the Last Death (Holdfast)',
      execute: async args => {
        const run = typeof args.run === 'string' ? args.run : await lastDeath(recent);
        if (!run) {
          return;
        }
        const id = `holdfast-report-${run}`;
        const verdict = hasWidget(app, id) ? null : await api.why({ run });
        Notification.dismiss(notices.get(run)); // it would cover the report, which offers the same
        if (verdict) {
          const recovery = recoveries.get(run);
          const restart = recovery ? () => void recovery.run() : null;
          const content = new ReportWidget(verdict, restart);
          const report = new MainAreaWidget({ content });
          report.id = id;
          report.title.label = `Why: ${verdict.end.slug}`;
          report.title.caption = verdict.headline;
          report.title.icon = holdfastIcon;
          report.title.closable = true;
          if (labShell) {
            app.shell.add(report, 'main', { mode: 'split-right' });
          } else {
            app.shell.add(report, 'down'); // Notebook 7 has room for one document only
            makeRoomFor(report);
          }
        }
        app.shell.activateById(id);
      }
    });
    const check = new EnvironmentCheck(
      api,
      () => notebooks.currentWidget?.sessionContext.session?.kernel?.id ?? null
    );
    app.commands.addCommand(CHECK, {
      label: 'Check Before Training (Holdfast)',
      execute: () => {
        const tab = showCheck(app, check, labShell ? 'main' : 'down');
        if (!labShell) {
          makeRoomFor(tab);
        }
      }
    });
    for (const command of [SHOW_PANEL, OPEN_REPORT, CHECK]) {
      palette?.addItem({ command, category: 'Kernel Operations' });
    }

    const follow = (document: IDocument) => {
      deaths.follow(document.sessionContext as unknown as IMortal, document);
    };
    const followNotebook = (panel: NotebookPanel) =>
      follow({ sessionContext: panel.sessionContext, recovery: new Recovery(panel) });
    notebooks.forEach(followNotebook);
    notebooks.widgetAdded.connect((_, panel) => followNotebook(panel));
    consoles?.widgetAdded.connect((_, { sessionContext }) =>
      follow({ sessionContext, recovery: null })
    );

    const inFront = (widget: { sessionContext: ISessionContext } | null) =>
      monitor.follow((widget?.sessionContext ?? null) as unknown as IKernelSource | null);
    notebooks.currentChanged.connect((_, notebook) => inFront(notebook));
    consoles?.currentChanged.connect((_, console) => inFront(console));
    inFront(notebooks.currentWidget ?? consoles?.currentWidget ?? null);

    deaths.died.connect((_, { verdict, owner }) => {
      void recent.refresh();
      const { recovery, sessionContext } = owner;
      const run = verdict.run.id;
      recovery?.mourn();
      if (recovery) {
        recoveries.set(run, recovery);
      }
      dialogs.expect(sessionContext.session?.path ?? sessionContext.path);
      const name = PathExt.basename(sessionContext.path) || sessionContext.name;
      const notice = notify(name, verdict, {
        openReport: () => openReport(run),
        restart: recovery ? () => void recovery.run() : undefined
      });
      notices.set(run, notice);
    });
  }
};

/** The panel below a document starts without any height. */
function makeRoomFor(widget: Widget): void {
  for (let child = widget; child.parent; child = child.parent) {
    if (child.parent instanceof SplitPanel && child.parent.orientation === 'vertical') {
      child.parent.setRelativeSizes([3, 2]);
      return;
    }
  }
}

async function lastDeath(recent: RecentDeaths): Promise<string | null> {
  await recent.refresh();
  return recent.rows[0]?.id ?? null;
}

function hasWidget(app: JupyterFrontEnd, id: string): boolean {
  for (const area of ['main', 'down']) {
    for (const widget of app.shell.widgets(area)) {
      if (widget.id === id) {
        return true;
      }
    }
  }
  return false;
}

export default plugin;
