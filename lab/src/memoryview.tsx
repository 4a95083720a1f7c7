// The panel below a cell that was refused memory, and of `%holdfast variables`.

import React from 'react';

import { duration, human } from './format';
import { Marked } from './marked';
import { MemoryFacts, OtherKernel, Variable } from './memoryfacts';

export interface IMemoryActions {
  free: () => void;
  showVariables: () => void;
}

function VariableRow(props: { one: Variable }): React.ReactElement {
  const { one } = props;
  return (
    <tr>
      <td>
        {one.about && 'about '}
        {human(one.bytes)}
      </td>
      <th scope="row">
        <code>{one.path}</code>
        {one.owner && ` in ${one.owner}()`}
        {Array.isArray(one.also) && one.also.length > 0 && ` (also ${one.also.join(', ')})`}
      </th>
      <td>
        {one.text}
        {one.grown ? `, +${human(one.grown)} lately` : ''}
      </td>
    </tr>
  );
}

/** "890 MiB in guard.ipynb, idle for 40 min". */
export function companyText(other: OtherKernel): string {
  const state =
    other.idle === null
      ? ''
      : other.idle === 0
        ? ', running a cell'
        : `, idle for ${duration(other.idle)}`;
  return `${human(other.bytes)} in ${other.name}${state}`;
}

function Variables(props: { facts: MemoryFacts }): React.ReactElement {
  const { variables, grew, others } = props.facts;
  return (
    <>
      {variables.length > 0 && (
        <table className="jp-Holdfast-variables" aria-label="Largest variables">
          <tbody>
            {variables.slice(0, 8).map((one, i) => (
              <VariableRow key={i} one={one} />
            ))}
          </tbody>
        </table>
      )}
      {grew && (
        <p>
          Grew lately: <code>{grew.name}</code> ({grew.kind}, {grew.items} items,{' '}
          {grew.grown ? `+${human(grew.grown)}` : human(grew.bytes)})
        </p>
      )}
      {others.length > 0 && (
        <p>Shares the limit: {others.slice(0, 3).map(companyText).join('; ')}</p>
      )}
    </>
  );
}

/** `now`: the result of a button; the text about the refusal stays above it. */
export function MemoryView(props: {
  facts: MemoryFacts;
  now: MemoryFacts | null;
  actions: IMemoryActions | null;
  said: string;
}): React.ReactElement {
  const { facts, now, actions, said } = props;
  return (
    <section
      className="jp-Holdfast-memory"
      data-kind={facts.kind}
      aria-label="Memory of this kernel"
    >
      <p className="jp-Holdfast-memoryHead">{facts.headline}</p>
      {facts.figures && <p>{facts.figures}</p>}
      {facts.note && <p>{facts.note}</p>}
      <Variables facts={facts} />
      {facts.advice.length > 0 && (
        <>
          <h4>Do now</h4>
          <ol>
            {facts.advice.map((one, i) => (
              <li key={i}>
                <Marked text={one.text} />
                {one.code && <pre>{one.code}</pre>}
              </li>
            ))}
          </ol>
        </>
      )}
      {actions && (
        <div className="jp-Holdfast-memoryActions">
          <button type="button" onClick={actions.free}>
            Free what can be freed
          </button>
          <button type="button" onClick={actions.showVariables}>
            {facts.kind === 'variables' ? 'Look again' : 'Show variables'}
          </button>
          <span role="status">{said}</span>
        </div>
      )}
      {now && (
        <div className="jp-Holdfast-memoryNow">
          <p className="jp-Holdfast-memoryHead">{now.headline}</p>
          <Variables facts={now} />
        </div>
      )}
    </section>
  );
}
