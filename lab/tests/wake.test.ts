import { expect, test } from 'vitest';

import { wake } from '../src/wake';

test('asks again where an answer fails or does not come', async () => {
  let asked = 0;
  const kernel = {
    requestKernelInfo: () => {
      asked += 1;
      if (asked === 1) {
        return Promise.reject(new Error('not connected'));
      }
      return asked === 2 ? new Promise(() => undefined) : Promise.resolve({});
    }
  };
  expect(await wake(() => kernel, 30_000)).toBe(true);
  expect(asked).toBe(3);
});

test('gives up on a kernel that is gone', async () => {
  expect(await wake(() => null, 50)).toBe(false);
});

test('takes the late answer to its first question', async () => {
  let asked = 0;
  const kernel = {
    requestKernelInfo: () => {
      asked += 1;
      return asked === 1
        ? new Promise(done => setTimeout(done, 250))
        : new Promise(() => undefined);
    }
  };
  expect(await wake(() => kernel, 30_000)).toBe(true);
});
