import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { IKernelSource, KernelMonitor } from '../src/monitor';
import { Status } from '../src/protocol';
import { watched } from './samples';

class Source implements IKernelSource {
  constructor(id: string) {
    this.session = { kernel: { id } };
  }
  session: { kernel: { id: string } | null };
  kernelDisplayStatus = 'idle';
  statusChanged = new Signal<this, unknown>(this);
  kernelChanged = new Signal<this, unknown>(this);
}

describe('the monitor', () => {
  const status = vi.fn<(kernel: string) => Promise<Status | null>>();
  let monitor: KernelMonitor;

  beforeEach(() => {
    vi.useFakeTimers();
    status.mockReset().mockResolvedValue(watched(512, 100));
    monitor = new KernelMonitor({
      absent: false,
      status,
      why: vi.fn(),
      runs: vi.fn(),
      notebooks: vi.fn()
    });
  });

  afterEach(() => {
    monitor.dispose();
    vi.useRealTimers();
  });

  test('asks about the kernel in front', async () => {
    monitor.follow(new Source('a'));
    await vi.advanceTimersByTimeAsync(100);
    expect(status).toHaveBeenLastCalledWith('a');
    expect(monitor.status?.watched).toBe(true);
  });

  test('asks nothing while no kernel is in front', async () => {
    monitor.follow(null);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(status).not.toHaveBeenCalled();
  });

  test('drops an answer about a document that was left', async () => {
    let answer: (status: Status) => void = () => undefined;
    status.mockReturnValueOnce(new Promise(done => (answer = done)));
    monitor.follow(new Source('a'));
    await vi.advanceTimersByTimeAsync(100);
    status.mockResolvedValue({ watched: false, ended: false });
    monitor.follow(new Source('b'));
    answer(watched(512, 500));
    await vi.advanceTimersByTimeAsync(100);
    expect(monitor.status).toEqual({ watched: false, ended: false });
  });

  test('asks more often while the kernel works', async () => {
    const count = async (displayStatus: string) => {
      const source = new Source(displayStatus);
      source.kernelDisplayStatus = displayStatus;
      monitor.follow(source);
      status.mockClear();
      await vi.advanceTimersByTimeAsync(60_000);
      return status.mock.calls.length;
    };
    expect(await count('busy')).toBeGreaterThan(3 * (await count('idle')));
  });
});
