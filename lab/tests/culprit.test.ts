import { expect, test } from 'vitest';

import { Culprit } from '../src/culprit';

const DIED = { errorName: 'KernelDied', errorValue: 'HF301 segfault: it crashed' };
const NOT_RUN = {
  errorName: 'KernelDied',
  errorValue: 'not run: HF301 segfault: it crashed'
};

function sent(...cells: string[]): Culprit<string> {
  const culprit = new Culprit<string>();
  cells.forEach(cell => culprit.scheduled(cell));
  return culprit;
}

test('it is the cell that died, not one that was sent after it', () => {
  const culprit = sent('one', 'two', 'three');
  culprit.executed('one', null);
  culprit.died(); // its last words come before its reply
  culprit.executed('two', DIED);
  culprit.executed('three', NOT_RUN);
  expect(culprit.cell).toBe('two');
});

test('without a reply it is the first that was not answered', () => {
  const culprit = sent('one', 'two', 'three');
  culprit.executed('one', null);
  culprit.died();
  expect(culprit.cell).toBe('two');
});

test('an error of its own makes no cell a culprit', () => {
  const culprit = sent('one', 'two');
  culprit.executed('one', { errorName: 'ValueError', errorValue: 'KernelDied' });
  culprit.executed('two', null);
  culprit.died();
  expect(culprit.cell).toBeNull();
});

test('an earlier death is forgotten once cells are run again', () => {
  const culprit = sent('one');
  culprit.executed('one', DIED);
  culprit.scheduled('two');
  culprit.executed('two', null);
  culprit.died();
  expect(culprit.cell).toBeNull();
});
