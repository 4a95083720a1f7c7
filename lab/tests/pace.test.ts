import { expect, test } from 'vitest';

import { Pace } from '../src/pace';
import { watched } from './samples';

function seen(...used: number[]): Pace {
  const pace = new Pace();
  used.forEach((bytes, i) => pace.add(2 * i, watched(1000, bytes)));
  return pace;
}

test('steady growth has a pace', () =>
  expect(seen(400, 500, 600, 700).toLimit).toBeCloseTo(6));

test('a table that was loaded at once has none', () =>
  expect(seen(400, 400, 700, 705, 705).toLimit).toBeNull());

test('another kernel begins anew', () => {
  const pace = seen(400, 500, 600);
  pace.add(6, { ...watched(1000, 700), run: 'another' });
  expect(pace.toLimit).toBeNull();
  pace.add(8, null);
  expect(pace.toLimit).toBeNull();
});
