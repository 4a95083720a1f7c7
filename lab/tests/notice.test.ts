import { expect, test, vi } from 'vitest';

vi.mock('@jupyterlab/apputils', () => ({ Notification: {} }));

import { sentence } from '../src/notice';
import { verdict } from './samples';

test('the sentence names the document, what happened and where', () =>
  expect(sentence('train.ipynb', verdict())).toBe(
    "train.ipynb: Killed by the kernel at its container's memory limit, at cell [2], line 3"
  ));

test('a long name is cut, the place stays', () => {
  const text = sentence(`${'very-'.repeat(40)}long.ipynb`, verdict());
  expect(text.length).toBeLessThanOrEqual(140);
  expect(text.endsWith('…, at cell [2], line 3')).toBe(true);
});
