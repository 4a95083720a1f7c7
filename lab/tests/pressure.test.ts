import { describe, expect, test } from 'vitest';

import { gpuLevel, memoryLevel, secondsToLimit, share } from '../src/pressure';
import { Watched } from '../src/protocol';
import { curve, MIB, watched } from './samples';

const level = (status: Watched) => memoryLevel(status, secondsToLimit(status.curve));

describe('the level of memory', () => {
  test('is calm far from the limit', () =>
    expect(level(watched(1000, 300, 300, 300, 300))).toBe('calm'));
  test('warns from four fifths on', () =>
    expect(level(watched(1000, 800, 800, 800))).toBe('warning'));
  test('is the brink just below the limit', () =>
    expect(level(watched(1000, 940, 940, 940))).toBe('brink'));
  test('warns early when the limit comes near fast', () =>
    expect(level(watched(1000, 300, 400, 500, 600))).toBe('warning'));
  test('stays calm while a small part grows fast', () =>
    expect(level(watched(1000, 50, 150, 250, 350))).toBe('calm'));
  test('is calm where no limit is known', () =>
    expect(level({ ...watched(1, 900), limit_bytes: null })).toBe('calm'));
});

describe('the time to the limit', () => {
  test('follows from the growth of the last moments', () =>
    expect(secondsToLimit(curve(1000, 400, 500, 600, 700))).toBeCloseTo(6));
  test('is unknown where nothing grows', () =>
    expect(secondsToLimit(curve(1000, 500, 500, 500))).toBeNull());
  test('is unknown where memory shrinks', () =>
    expect(secondsToLimit(curve(1000, 800, 600, 400))).toBeNull());
  test('is unknown after one jump', () =>
    expect(secondsToLimit(curve(1000, 400, 405, 700, 705, 705))).toBeNull());
  test('is unknown after one look', () =>
    expect(secondsToLimit(curve(1000, 400, 900))).toBeNull());
  test('does not count what grew long ago', () =>
    expect(
      secondsToLimit(curve(1000, 100, 500, 500, 500, 500, 500, 500, 500, 500, 500))
    ).toBeNull());
});

test('a share of nothing is unknown, not infinite', () => expect(share(1, 0)).toBeNull());

test('a GPU that tells no total is calm', () => {
  expect(gpuLevel({ name: '', used_bytes: 5, total_bytes: null })).toBe('calm');
  expect(gpuLevel({ name: '', used_bytes: 95 * MIB, total_bytes: 100 * MIB })).toBe(
    'brink'
  );
});
