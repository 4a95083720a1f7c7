// A memory curve with its limit, as a small themed picture with a text for screen readers.

import React from 'react';

import { draw } from './curve';
import { duration, human } from './format';
import { CurvePoint } from './protocol';

const WIDTH = 320;
const HEIGHT = 96;

export function CurveView(props: {
  points: readonly CurvePoint[];
  limitName: string;
  ended?: boolean; // then the text gives the highest point, not the last one
}): React.ReactElement | null {
  const drawing = draw(props.points, WIDTH, HEIGHT);
  const last = props.points.at(-1);
  if (!drawing || !last || last.used_bytes === null) {
    return null;
  }
  const limit = last.limit_bytes;
  const limitText = limit === null ? '' : `${props.limitName || 'limit'} ${human(limit)}`;
  const figure = props.ended
    ? `peak ${human(drawing.peak)}`
    : `now ${human(last.used_bytes)}`;
  const told = `Memory over the last ${duration(drawing.seconds)}: ${figure}`;
  return (
    <figure className="jp-Holdfast-curve">
      <div className="jp-Holdfast-curveScale" aria-hidden="true">
        <span>{limitText}</span>
        {drawing.limitY === null && limit !== null && <span>above this picture</span>}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={limitText ? `${told}; ${limitText}` : told}
      >
        <path className="jp-Holdfast-curveArea" d={drawing.area} />
        <path className="jp-Holdfast-curveLine" d={drawing.line} />
        {drawing.limitY !== null && (
          <line
            className="jp-Holdfast-curveLimit"
            x1={0}
            x2={WIDTH}
            y1={drawing.limitY}
            y2={drawing.limitY}
          />
        )}
      </svg>
      <figcaption className="jp-Holdfast-curveScale">
        <span>last {duration(drawing.seconds)}</span>
        <span>{figure}</span>
      </figcaption>
    </figure>
  );
}
