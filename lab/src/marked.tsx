// Sentences with names in backticks: `history` is shown as code.

import React from 'react';

export function Marked(props: { text: string }): React.ReactElement {
  const parts = props.text.split('`');
  // With an odd number of backticks nothing is known to be code.
  if (parts.length % 2 === 0) {
    return <>{props.text}</>;
  }
  return (
    <>
      {parts.map((part, i) =>
        i % 2 ? <code key={i}>{part}</code> : <span key={i}>{part}</span>
      )}
    </>
  );
}
