// The panel below a cell that was refused memory, and of `%holdfast variables`.

import React from 'react';

import { duration, human } from './format';
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
        {one.also.length > 0 && ` (also ${one.also.join(', ')})`}
      </th>
      <td>{one.text}</td>
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

/** `names` as code. */
function Marked(props: { text: string }): React.ReactElement {
  const parts = props.text.split('`');
  return (
    <>
      {parts.map((part, i) =>
        i % 2 ? <code key={i}>{part}</code> : <span key={i}>{part}</span>
      )}
    </>
  );
}

export function MemoryView(props: {
  facts: MemoryFacts;
  actions: IMemoryActions | null;
  said: string;
}): React.ReactElement {
  const { facts, actions, said } = props;
  const { grew } = facts;
  return (
    <section
      className="jp-Holdfast-memory"
      data-kind={facts.kind}
      aria-label="Memory of this kernel"
    >
      <p className="jp-Holdfast-memoryHead">{facts.headline}</p>
      {facts.variables.length > 0 && (
        <table className="jp-Holdfast-variables" aria-label="Largest variables">
          <tbody>
            {facts.variables.slice(0, 8).map((one, i) => (
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
      {facts.others.length > 0 && (
        <p>Share the limit: {facts.others.slice(0, 3).map(companyText).join('; ')}</p>
      )}
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
            Show variables
          </button>
          <span role="status">{said}</span>
        </div>
      )}
    </section>
  );
}
