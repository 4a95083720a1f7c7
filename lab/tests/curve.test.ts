import { expect, test } from 'vitest';

import { draw } from '../src/curve';
import { curve } from './samples';

test('the curve spans the width, and its peak lies on the limit line', () => {
  const drawing = draw(curve(500, 100, 500, 200), 300, 100);
  const points = [...(drawing?.line ?? '').matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(
    found => [Number(found[1]), Number(found[2])]
  );
  expect(points.map(([x]) => x)).toEqual([0, 150, 300]);
  expect(points[1]?.[1]).toBeCloseTo(drawing?.limitY ?? 0, 0);
  expect(drawing?.limitY).toBeGreaterThan(0);
});

test('a limit far above is left out instead of pressing the curve flat', () => {
  const drawing = draw(curve(64_000, 100, 200, 300), 300, 100);
  expect(drawing?.limitY).toBeNull();
  expect(drawing?.line).not.toContain('NaN');
});

test('one point, none, or unknown ones make no picture', () => {
  expect(draw([], 300, 100)).toBeNull();
  expect(draw(curve(500, 100), 300, 100)).toBeNull();
  const unknown = curve(500, 1, 2).map(point => ({ ...point, used_bytes: null }));
  expect(draw(unknown, 300, 100)).toBeNull();
});

test('no memory at all does not divide by zero', () => {
  expect(draw(curve(500, 0, 0), 300, 100)?.line).not.toContain('NaN');
});
