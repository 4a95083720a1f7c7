// A whole verdict in a tab: cause, line, curve, what to change, evidence.

import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';

import { CurveView } from './curveview';
import { place } from './format';
import { headlineOf } from './headline';
import { Marked } from './marked';
import { Finding, Verdict } from './protocol';
import { SitesTable } from './sites';

function Section(props: { title: string; children: React.ReactNode }): React.ReactElement {
  return (
    <section>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

function CauseTag(props: { finding: Finding }): React.ReactElement {
  const { code, slug, confidence } = props.finding;
  return (
    <span className="jp-Holdfast-tag" data-confidence={confidence}>
      {code} {slug} · {confidence}
    </span>
  );
}

function PlaceOf(props: { finding: Finding }): React.ReactElement | null {
  const where = props.finding.where;
  if (!where) {
    return null;
  }
  return (
    <Section title="Where">
      <p>
        <b title={where.file}>{place(where.file, where.line)}</b>
        {where.function && where.function !== '<module>' && (
          <>
            {' '}
            in <code>{where.function}</code>
          </>
        )}
      </p>
      {where.text && <pre>{where.text.trim()}</pre>}
    </Section>
  );
}

function Fixes(props: { findings: Finding[] }): React.ReactElement | null {
  const fixes = props.findings.flatMap(finding => finding.fixes);
  if (fixes.length === 0) {
    return null;
  }
  return (
    <Section title="Do now">
      <ol>
        {fixes.map((fix, i) => (
          <li key={i}>
            <Marked text={fix.text} />
            {fix.code && <pre>{fix.code}</pre>}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Evidence(props: { findings: Finding[] }): React.ReactElement | null {
  const rows = props.findings.flatMap(finding => finding.evidence);
  if (rows.length === 0) {
    return null;
  }
  return (
    <Section title="Evidence">
      <table className="jp-Holdfast-evidence">
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              <th scope="row">{row.source}</th>
              <td>{row.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Stacks(props: { stacks: Verdict['python_stack'] }): React.ReactElement | null {
  if (props.stacks.length === 0) {
    return null;
  }
  return (
    <Section title="Python stacks">
      {props.stacks.map((stack, i) => (
        <details key={i} open={i === 0 && stack.frames.length < 12}>
          <summary>
            {stack.thread} ({stack.frames.length} frames)
          </summary>
          <ol className="jp-Holdfast-frames">
            {stack.frames.map((frame, j) => (
              <li key={j} title={frame.file}>
                <code>{place(frame.file, frame.line)}</code> in {frame.function}
              </li>
            ))}
          </ol>
        </details>
      ))}
    </Section>
  );
}

/** The end first, then its causes; each thing once. */
export function Report(props: {
  verdict: Verdict;
  restart?: (() => void) | null;
}): React.ReactElement {
  const { verdict } = props;
  const { end, root, memory } = verdict;
  const deeper = root.slug !== end.slug;
  const findings = deeper ? [root, end] : [end];
  return (
    <article className="jp-Holdfast-report" aria-label="Report of a dead kernel">
      <header>
        <h1>{headlineOf(verdict.headline).what}</h1>
        <CauseTag finding={end} />
        <p>
          <Marked text={end.summary} />
        </p>
        {deeper && (
          <p>
            <b>Because:</b> <Marked text={root.summary} /> <CauseTag finding={root} />
          </p>
        )}
        {props.restart && (
          <button type="button" className="jp-Holdfast-restart" onClick={props.restart}>
            Restart and run to here
          </button>
        )}
      </header>
      <PlaceOf finding={root.where ? root : end} />
      {(memory.curve?.length ?? 0) > 1 && (
        <Section title="Memory">
          <CurveView
            points={memory.curve ?? []}
            limitName={memory.limit_name ?? ''}
            ended
          />
          <SitesTable sites={memory.top_sites} most={6} />
        </Section>
      )}
      <Fixes findings={findings} />
      <Evidence findings={findings} />
      <Stacks stacks={verdict.python_stack} />
      {verdict.missing.length > 0 && (
        <Section title="Not seen">
          <ul>
            {verdict.missing.map((text, i) => (
              <li key={i}>{text}</li>
            ))}
          </ul>
        </Section>
      )}
      <footer>
        <code>holdfast why {verdict.run.id}</code>
        {' · '}
        <code>holdfast explain {root.code}</code>
      </footer>
    </article>
  );
}

export class ReportWidget extends ReactWidget {
  constructor(
    private verdict: Verdict,
    private restart: (() => void) | null = null
  ) {
    super();
    this.addClass('jp-Holdfast-reportWidget');
  }

  protected render(): React.ReactElement {
    return <Report verdict={this.verdict} restart={this.restart} />;
  }
}
