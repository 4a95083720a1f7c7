// The side panel: the live curve, the lines that grow, and the recent deaths.

import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import React from 'react';

import { CurveView } from './curveview';
import { ago, duration, human, percent } from './format';
import { Marked } from './marked';
import { KernelMonitor } from './monitor';
import { NotebookMemory, NotebookRows } from './notebookrows';
import { memoryLevel, share } from './pressure';
import { RunRow, Status, Watched } from './protocol';
import { RecentDeaths } from './recentdeaths';
import { SitesTable } from './sites';

const MOST_SITES = 8;
const MOST_DEATHS = 6;

function Figures(props: {
  status: Watched;
  busy: boolean;
  toLimit: number | null;
}): React.ReactElement {
  const { status, toLimit } = props;
  const part = share(status.memory_bytes, status.limit_bytes);
  const rows: [string, string][] = [];
  if (status.process_bytes !== null) {
    rows.push(['kernel process', human(status.process_bytes)]);
  }
  if (status.peak_bytes !== null) {
    rows.push(['peak', human(status.peak_bytes)]);
  }
  for (const [i, gpu] of status.gpus.entries()) {
    if (gpu.used_bytes !== null && gpu.total_bytes !== null) {
      rows.push([`GPU ${i}`, `${human(gpu.used_bytes)} of ${human(gpu.total_bytes)}`]);
    }
  }
  if (status.steps) {
    rows.push(['steps', String(status.steps)]);
  }
  return (
    <>
      {status.memory_bytes !== null && (
        <p className="jp-Holdfast-big" data-level={memoryLevel(status, toLimit)}>
          {human(status.memory_bytes)}
          {status.limit_bytes !== null && part !== null && (
            <small>
              {' '}
              of {human(status.limit_bytes)} · {percent(part)}
            </small>
          )}
        </p>
      )}
      {toLimit !== null && toLimit < 600 && (
        <p className="jp-Holdfast-soon">
          At this pace full in {duration(Math.max(1, toLimit))}
        </p>
      )}
      {status.trouble && props.busy && (
        <p className="jp-Holdfast-soon">
          <Marked text={status.trouble} />
        </p>
      )}
      <CurveView points={status.curve} limitName={status.limit_name} />
      <dl className="jp-Holdfast-figures">
        {rows.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Hint(props: { status: Status | null; absent: boolean }): React.ReactElement {
  if (props.absent) {
    return (
      <p className="jp-Holdfast-hint">
        The server runs without Holdfast&apos;s extension: install it where the server is
        installed, <code>pip install holdfast</code>, and start the server anew.
      </p>
    );
  }
  if (props.status === null) {
    return <p className="jp-Holdfast-hint">No kernel is in front.</p>;
  }
  if (!props.status.watched && props.status.ended) {
    return <p className="jp-Holdfast-hint">The kernel has ended.</p>;
  }
  return (
    <p className="jp-Holdfast-hint">
      This kernel is not watched. <code>holdfast kernel install</code> makes one that is;
      choose it under Kernel › Change Kernel.
    </p>
  );
}

export function SidePanelView(props: {
  status: Status | null;
  deaths: RunRow[];
  now: number;
  onOpen: (run: string) => void;
  onCheck: () => void;
  notebooks?: React.ReactNode;
  busy?: boolean;
  toLimit?: number | null;
  absent?: boolean;
}): React.ReactElement {
  const { status, deaths } = props;
  return (
    <div className="jp-Holdfast-sections">
      <section>
        <h3>Memory</h3>
        {status?.watched ? (
          <Figures
            status={status}
            busy={props.busy ?? false}
            toLimit={props.toLimit ?? null}
          />
        ) : (
          <Hint status={status} absent={props.absent ?? false} />
        )}
      </section>
      {status?.watched && status.top_sites.length > 0 && (
        <section>
          <h3>Lines that hold it</h3>
          <SitesTable sites={status.top_sites} most={MOST_SITES} />
        </section>
      )}
      {props.notebooks}
      <section>
        <h3>Recent deaths</h3>
        {deaths.length === 0 ? (
          <p className="jp-Holdfast-hint">None is recorded.</p>
        ) : (
          <ul className="jp-Holdfast-deaths">
            {deaths.slice(0, MOST_DEATHS).map(run => (
              <li key={run.id}>
                <button
                  type="button"
                  title={run.command}
                  onClick={() => props.onOpen(run.id)}
                >
                  <span>
                    <span className="jp-Holdfast-slug">{run.cause ?? run.outcome}</span>
                    {run.notebook && <small>{run.notebook}</small>}
                  </span>
                  <span className="jp-Holdfast-when">{ago(run.started, props.now)}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h3>Before training</h3>
        <button type="button" className="jp-Holdfast-again" onClick={props.onCheck}>
          Check machine and environment
        </button>
      </section>
    </div>
  );
}

export class SidePanel extends ReactWidget {
  constructor(
    private monitor: KernelMonitor,
    private deaths: RecentDeaths,
    private notebooks: NotebookMemory,
    private onOpen: (run: string) => void,
    private onCheck: () => void
  ) {
    super();
    this.addClass('jp-Holdfast-panel');
  }

  protected onBeforeShow(): void {
    void this.deaths.refresh();
    void this.notebooks.refresh();
    this.monitor.refresh();
  }

  protected render(): React.ReactElement {
    const view = () => (
      <SidePanelView
        status={this.monitor.status}
        deaths={this.deaths.rows}
        now={Date.now()}
        onOpen={this.onOpen}
        onCheck={this.onCheck}
        absent={this.monitor.serverAbsent}
        busy={this.monitor.busy}
        toLimit={this.monitor.toLimit}
        notebooks={<NotebookRows memory={this.notebooks} />}
      />
    );
    return (
      <UseSignal signal={this.monitor.changed}>
        {() => <UseSignal signal={this.deaths.changed}>{view}</UseSignal>}
      </UseSignal>
    );
  }
}
