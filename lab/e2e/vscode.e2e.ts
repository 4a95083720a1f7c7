// What VS Code has of a kernel that dies: messages, stderr, an exit code.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { MemoryLimit } from './limit';
import { RawKernel } from './rawkernel';
import { HOLDFAST, PYTHON } from './server';

const MIB = 1 << 20;

let folder: string;
let limit: MemoryLimit;
let kernel: RawKernel;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-vscode-'));
  limit = new MemoryLimit(320 * MIB);
  const environment = {
    ...process.env,
    HOLDFAST_HOME: join(folder, 'holdfast'),
    HOLDFAST_GUARD: 'warn', // the kernel is meant to die
    JUPYTER_DATA_DIR: join(folder, 'data'),
    IPYTHONDIR: join(folder, 'ipython')
  };
  execFileSync(HOLDFAST, ['kernel', 'install', '--python', PYTHON, '--name', 'held'], {
    env: environment
  });
  const file = join(folder, 'data/kernels/held/kernel.json');
  const spec = JSON.parse(readFileSync(file, 'utf8')) as { argv: string[] };
  writeFileSync(file, JSON.stringify({ ...spec, argv: limit.inside(spec.argv) }));
  kernel = await RawKernel.start(file, folder, environment);
});

afterEach(async () => {
  await kernel?.close();
  await limit.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('a kill at the limit: an error in the cell, the cause on stderr, 128 + 9', async () => {
  const request = await kernel.execute(
    "kept = []\nwhile True:\n    kept.append(bytearray(b'x') * (8 << 20))"
  );
  const { code, signal, stderr } = await kernel.ended;
  const error = await kernel.heard('error', request);
  expect(error.content).toMatchObject({
    ename: 'KernelDied',
    evalue: expect.stringMatching(/^HF101 cgroup-oom: .*cell \[1\], line 3/) as string
  });
  expect([code, signal]).toEqual([128 + 9, null]);
  expect(stderr).toMatch(/^holdfast: .*memory limit at cell \[1\], line 3 .*holdfast why/m);
});

test('a crash: 128 + 11, and one line with the place', async () => {
  const request = await kernel.execute('import ctypes\nctypes.string_at(0)');
  const { code, stderr } = await kernel.ended;
  expect((await kernel.heard('error', request)).content.evalue).toContain('HF301 segfault');
  expect(code).toBe(128 + 11);
  expect(stderr.match(/^holdfast: .*cell \[1\], line 2/gm)).toHaveLength(1);
});

test('its interrupt, a signal to the pid alone, reaches the cell', async () => {
  const request = await kernel.execute('import time\nprint("on")\ntime.sleep(100)');
  await kernel.heard('stream', request);
  await sleep(300); // ipykernel loses one now and then that comes while it prints
  kernel.kill('SIGINT');
  const error = await kernel.heard('error', request);
  expect(error.content.ename).toBe('KeyboardInterrupt');
  const again = await kernel.execute('6 * 7');
  const { content } = await kernel.heard('execute_result', again);
  expect(content.data).toMatchObject({ 'text/plain': '42' });
});

test('closing it amid a cell, by message and signal, is no death', async () => {
  const request = await kernel.execute('import time\nprint("on")\ntime.sleep(100)');
  await kernel.heard('stream', request);
  await kernel.askToShutDown();
  kernel.kill('SIGTERM');
  const { stderr } = await kernel.ended;
  expect(stderr).not.toMatch(/^holdfast: /m);
  expect(kernel.messages.filter(one => one.kind === 'error')).toEqual([]);
});
