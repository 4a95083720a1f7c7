import { describe, expect, test } from 'vitest';

import { ago, clipped, duration, human, place } from '../src/format';

describe('human', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '0.98 KiB'],
    [1536, '1.5 KiB'],
    [512 * 2 ** 20, '512 MiB'],
    [23.54 * 2 ** 30, '23.5 GiB'],
    [-3 * 2 ** 20, '-3 MiB']
  ])('%d bytes are %s', (bytes, text) => expect(human(bytes)).toBe(text));
});

describe('place', () => {
  test('a cell has a number and a line', () =>
    expect(place('cell [2]', 3)).toBe('cell [2], line 3'));
  test('a long path keeps its end', () =>
    expect(place('/home/u/project/src/train.py', 42)).toBe('…/src/train.py:42'));
  test('a line that is not known is left out', () =>
    expect(place('train.py', null)).toBe('train.py'));
});

test('durations grow from seconds to hours', () => {
  expect(duration(8.4)).toBe('8 s');
  expect(duration(750)).toBe('12 min');
  expect(duration(11_100)).toBe('3 h 5 min');
});

test('a time that cannot be read is not told', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  expect(ago('2026-01-01T00:00:00Z', now)).toBe('60 s ago');
  expect(ago('nonsense', now)).toBe('');
});

test('a text is cut with an ellipsis and never longer than allowed', () => {
  expect(clipped('short', 5)).toBe('short');
  expect(clipped('much too long', 6)).toBe('much…');
});
