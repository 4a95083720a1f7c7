// The geometry of a memory curve: points of a record become two SVG paths and a limit line.

import { CurvePoint } from './protocol';

export interface Drawing {
  line: string;
  area: string;
  limitY: number | null;
  peak: number; // bytes
  top: number; // bytes at the upper edge
  seconds: number; // shown, from left to right
}

const HEADROOM = 1.08;
// A shorter curve would show nothing.
const FEWEST_SECONDS = 1;

/** Draws into a box of this size, y downwards; null where there is nothing to draw. */
export function draw(
  points: readonly CurvePoint[],
  width: number,
  height: number
): Drawing | null {
  const known = points.filter(
    (point): point is CurvePoint & { used_bytes: number } => point.used_bytes !== null
  );
  const first = known[0];
  const last = known.at(-1);
  if (!first || !last || last.seconds - first.seconds < FEWEST_SECONDS) {
    return null;
  }
  const limit = last.limit_bytes;
  const peak = Math.max(...known.map(point => point.used_bytes));
  // A limit far above everything would press the curve flat: then only its text is shown.
  const limitInSight = limit !== null && limit <= 4 * peak;
  const top = HEADROOM * (limitInSight ? Math.max(limit, peak) : peak) || 1;
  const seconds = last.seconds - first.seconds;
  const x = (point: CurvePoint) => ((point.seconds - first.seconds) / seconds) * width;
  const y = (bytes: number) => height - (bytes / top) * height;
  const line = known
    .map(
      (point, i) =>
        `${i ? 'L' : 'M'}${x(point).toFixed(1)} ${y(point.used_bytes).toFixed(1)}`
    )
    .join('');
  return {
    line,
    area: `${line}L${width} ${height}L0 ${height}Z`,
    limitY: limitInSight ? y(limit) : null,
    peak,
    top,
    seconds
  };
}
