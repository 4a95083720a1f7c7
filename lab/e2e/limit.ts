// A real memory limit around a kernel: a cgroup of its own, on cgroup v1 and v2. Needs root.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export class MemoryLimit {
  constructor(bytes: number) {
    const v1 = '/sys/fs/cgroup/memory';
    const isV1 = existsSync(join(v1, 'memory.limit_in_bytes'));
    this.folder = join(
      isV1 ? v1 : '/sys/fs/cgroup',
      `holdfast-lab-${process.pid}-${++made}`
    );
    if (!isV1) {
      writeFileSync('/sys/fs/cgroup/cgroup.subtree_control', '+memory');
    }
    mkdirSync(this.folder);
    writeFileSync(
      join(this.folder, isV1 ? 'memory.limit_in_bytes' : 'memory.max'),
      `${bytes}`
    );
    this.write('memory.swappiness', '0');
    this.write('memory.swap.max', '0');
  }

  /** A command line that enters the limit and becomes `command`. */
  inside(command: string[]): string[] {
    const enter = `echo $$ >'${this.folder}/cgroup.procs' && exec "$@"`;
    return ['/bin/sh', '-c', enter, 'sh', ...command];
  }

  async remove(): Promise<void> {
    const procs = join(this.folder, 'cgroup.procs');
    for (let i = 0; i < 100 && readFileSync(procs, 'utf8').trim(); i++) {
      await sleep(100);
    }
    rmdirSync(this.folder);
  }

  private write(name: string, text: string): void {
    if (existsSync(join(this.folder, name))) {
      writeFileSync(join(this.folder, name), text);
    }
  }

  private folder: string;
}

let made = 0;
