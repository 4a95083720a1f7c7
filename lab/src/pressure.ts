// How near memory is to its limit, and how soon it would reach it.

import { CurvePoint, Gpu, Watched } from './protocol';

export type Level = 'calm' | 'warning' | 'brink';

const WARNING_SHARE = 0.8;
const BRINK_SHARE = 0.93;
// Growth is measured over this long at the end of the curve: shorter is noise.
const WINDOW_SECONDS = 15;
const FEWEST_SECONDS = 3;
// Memory that will be full within this time is worth a warning, however much is free now.
const SOON_SECONDS = 30;
const SOON_SHARE = 0.5;
// Growth is not steady if more than this part of it lies between two points.
const ONE_JUMP = 0.6;

export function share(used: number | null, limit: number | null): number | null {
  return used === null || limit === null || limit <= 0 ? null : used / limit;
}

function largestJump(curve: readonly CurvePoint[], since: number): number {
  let largest = 0;
  let before: number | null = null;
  for (const { seconds, used_bytes } of curve) {
    if (seconds >= since && used_bytes !== null) {
      largest = Math.max(largest, before === null ? 0 : used_bytes - before);
      before = used_bytes;
    }
  }
  return largest;
}

/** Seconds until the limit at the growth of the last moments; null: not growing, or unknown. */
export function secondsToLimit(curve: readonly CurvePoint[]): number | null {
  const last = curve.at(-1);
  if (!last || last.used_bytes === null || last.limit_bytes === null) {
    return null;
  }
  const first = curve.find(
    point => point.used_bytes !== null && last.seconds - point.seconds <= WINDOW_SECONDS
  );
  if (!first || first.used_bytes === null) {
    return null;
  }
  const elapsed = last.seconds - first.seconds;
  const grown = last.used_bytes - first.used_bytes;
  if (largestJump(curve, first.seconds) > ONE_JUMP * grown) {
    return null; // a table was loaded: that is over and says nothing about the rate
  }
  // A container's first gigabyte is usually an import, so growth must be large against the limit.
  if (elapsed < FEWEST_SECONDS || grown < 0.02 * last.limit_bytes) {
    return null;
  }
  return Math.max(0, (last.limit_bytes - last.used_bytes) / (grown / elapsed));
}

function levelOfShare(part: number | null): Level {
  if (part === null) {
    return 'calm';
  }
  return part >= BRINK_SHARE ? 'brink' : part >= WARNING_SHARE ? 'warning' : 'calm';
}

/** `toLimit`: seconds until memory is full at the present rate; null: it does not grow. */
export function memoryLevel(status: Watched, toLimit: number | null): Level {
  const part = share(status.memory_bytes, status.limit_bytes);
  const level = levelOfShare(part);
  if (level !== 'calm' || part === null || part < SOON_SHARE) {
    return level;
  }
  return toLimit !== null && toLimit < SOON_SECONDS ? 'warning' : 'calm';
}

export function gpuLevel(gpu: Gpu): Level {
  return levelOfShare(share(gpu.used_bytes, gpu.total_bytes));
}
