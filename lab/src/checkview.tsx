// A tab that says what will hurt a training here, before it starts.

import { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';

import {
  CheckFinding,
  CheckReport,
  CheckState,
  EnvironmentCheck,
  reasons,
  Severity
} from './check';
import { holdfastIcon } from './icon';

const CHECK = 'holdfast-check';

const WORDS: Record<Severity, string> = {
  blocks: 'blocks',
  'will-hurt': 'will hurt',
  note: 'note'
};

function headlineOf(report: CheckReport): string {
  const count = (severity: Severity) =>
    report.findings.filter(finding => finding.severity === severity).length;
  if (count('blocks') > 0) {
    return 'This environment cannot train as it is';
  }
  return count('will-hurt') > 0
    ? 'A training will run here, but not well'
    : 'Nothing here gets in the way of a training';
}

function OneFinding(props: { finding: CheckFinding }): React.ReactElement {
  const { finding } = props;
  return (
    <li data-severity={finding.severity}>
      <p>
        <b>{WORDS[finding.severity]}:</b> {finding.summary}{' '}
        <span className="jp-Holdfast-tag" title={`holdfast explain ${finding.code}`}>
          {finding.code} {finding.slug}
        </span>
      </p>
      {finding.fixes.map((fix, i) => (
        <div key={i}>
          {fix.text}
          {fix.code && <pre>{fix.code}</pre>}
        </div>
      ))}
      <details>
        <summary>Where this was read</summary>
        <table className="jp-Holdfast-evidence">
          <tbody>
            {finding.evidence.map((row, i) => (
              <tr key={i}>
                <th scope="row">{row.source}</th>
                <td>{row.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </li>
  );
}

function Judged(props: { python: CheckReport['python'] }): React.ReactElement {
  const { program, version, frameworks } = props.python;
  if (!program) {
    return <p>No Python was found to check.</p>;
  }
  return (
    <p>
      Checked: Python {version}, <code>{program}</code>
      {frameworks.length > 0 && `, with ${frameworks.join(', ')}`}.
    </p>
  );
}

/** One line about the checks that found nothing; on request, why some were not possible. */
function Rest(props: { report: CheckReport }): React.ReactElement {
  const { fine, impossible } = props.report;
  if (impossible.length === 0) {
    return <p>{fine} checks fine.</p>;
  }
  return (
    <details>
      <summary>
        {fine} checks fine, {impossible.length} not possible
      </summary>
      <p>Not possible: {reasons(impossible)}.</p>
    </details>
  );
}

export function CheckView(props: {
  state: CheckState;
  onAgain: () => void;
}): React.ReactElement {
  const { state } = props;
  const report = typeof state === 'object' ? state : null;
  const title = report
    ? headlineOf(report)
    : state === 'asking'
      ? 'Looking at the machine and the environment …'
      : 'The server gave no answer';
  return (
    <article
      className="jp-Holdfast-report jp-Holdfast-check"
      aria-label="Check before training"
      aria-busy={state === 'asking'}
      data-worst={report?.findings[0]?.severity ?? 'none'}
    >
      <header aria-live="polite">
        <h1>{title}</h1>
        {report && <Judged python={report.python} />}
        {state === 'failed' && (
          <p>
            Its log says why. In a terminal, <code>holdfast check</code> tells the same.
          </p>
        )}
      </header>
      {report && report.findings.length > 0 && (
        <ol className="jp-Holdfast-findings">
          {report.findings.map((finding, i) => (
            <OneFinding key={i} finding={finding} />
          ))}
        </ol>
      )}
      {report && <Rest report={report} />}
      <footer>
        <button
          type="button"
          className="jp-Holdfast-again"
          disabled={state === 'asking'}
          onClick={props.onAgain}
        >
          Check again
        </button>
      </footer>
    </article>
  );
}

class CheckWidget extends ReactWidget {
  constructor(private check: EnvironmentCheck) {
    super();
    this.addClass('jp-Holdfast-reportWidget');
  }

  protected render(): React.ReactElement {
    return (
      <UseSignal signal={this.check.changed}>
        {() => (
          <CheckView state={this.check.state} onAgain={() => void this.check.refresh()} />
        )}
      </UseSignal>
    );
  }
}

/** Shows the tab and refreshes it; `area`: where this application has room. */
export function showCheck(
  app: JupyterFrontEnd,
  check: EnvironmentCheck,
  area: 'main' | 'down'
): Widget {
  void check.refresh();
  for (const widget of app.shell.widgets(area)) {
    if (widget.id === CHECK) {
      app.shell.activateById(CHECK);
      return widget;
    }
  }
  const tab = new MainAreaWidget({ content: new CheckWidget(check) });
  tab.id = CHECK;
  tab.title.label = 'Check';
  tab.title.caption = 'What will go wrong with a training here';
  tab.title.icon = holdfastIcon;
  tab.title.closable = true;
  app.shell.add(tab, area, area === 'main' ? { mode: 'split-right' } : {});
  app.shell.activateById(CHECK);
  return tab;
}
