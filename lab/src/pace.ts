// How fast memory grows now, by the last answers: the curve of a long run has too few points.

import { secondsToLimit } from './pressure';
import { CurvePoint, Status } from './protocol';

const KEPT_SECONDS = 30;

export class Pace {
  /** Adds an answer and its time in seconds; another run starts again. */
  add(now: number, status: Status | null): void {
    if (!status?.watched || status.run !== this.run) {
      this.points = [];
    }
    if (status?.watched) {
      this.run = status.run;
      this.points = this.points.filter(({ seconds }) => seconds > now - KEPT_SECONDS);
      const { memory_bytes: used_bytes, limit_bytes } = status;
      this.points.push({ seconds: now, used_bytes, limit_bytes });
    }
  }

  /** Seconds until memory is full; null: it does not grow steadily. */
  get toLimit(): number | null {
    return secondsToLimit(this.points);
  }

  private run = '';
  private points: CurvePoint[] = [];
}
