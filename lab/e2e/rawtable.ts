// The row of bench/jupyter for VS Code's way: its kernels, its messages, no browser.
//
// One JSON object on stdin and one on stdout, as for table.ts; there is nothing to restart.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryLimit } from './limit';
import { RawKernel } from './rawkernel';
import { HOLDFAST, PYTHON } from './server';

const MIB = 1 << 20;

interface IAsked {
  deaths: Record<string, string>;
  refused: [string, string, string][];
  healthy: string[];
  count: number;
}

class RawRow {
  constructor(private asked: IAsked) {
    const environment = { ...process.env, JUPYTER_DATA_DIR: join(this.folder, 'data') };
    execFileSync(HOLDFAST, ['kernel', 'install', '--python', PYTHON, '--name', 'held'], {
      env: environment
    });
    const file = join(this.folder, 'data/kernels/held/kernel.json');
    const spec = JSON.parse(readFileSync(file, 'utf8')) as { argv: string[] };
    writeFileSync(file, JSON.stringify({ ...spec, argv: this.limit.inside(spec.argv) }));
  }

  async right(): Promise<number> {
    const deaths = Object.entries(this.asked.deaths);
    return this.count(async i => {
      const [slug, code] = deaths[i % deaths.length]!;
      const kernel = await this.start('warn');
      const request = await kernel.execute(code);
      const error = await kernel.heard('error', request).catch(() => null);
      const said = String(error?.content.evalue);
      const { stderr } = await kernel.ended;
      await kernel.close();
      const placed = slug === 'killed' || said.includes('cell [1]');
      return said.includes(` ${slug}`) && placed && /^holdfast: /m.test(stderr);
    });
  }

  /** As VS Code ends a kernel: by message, then by signal; idle or amid a cell. */
  async loud(): Promise<number> {
    return this.count(async i => {
      const kernel = await this.start('warn');
      if (i % 2) {
        const busy = await kernel.execute('print("on")\nimport time; time.sleep(600)');
        await kernel.heard('stream', busy);
      }
      await kernel.askToShutDown();
      kernel.kill('SIGTERM');
      const { stderr } = await kernel.ended;
      const errors = kernel.messages.filter(
        ({ content }) => content.ename === 'KernelDied'
      );
      await kernel.close();
      return errors.length > 0 || /^holdfast: /m.test(stderr);
    });
  }

  async named(): Promise<number> {
    return this.count(async i => {
      const [first, code, wanted] = this.asked.refused[i % this.asked.refused.length]!;
      const said = await this.said(first, code);
      const lines = said.split('\n');
      return lines[0]!.startsWith('Holdfast ') && !!lines[1]?.includes(wanted);
    });
  }

  async wordy(): Promise<number> {
    return this.count(async i => {
      const code = this.asked.healthy[i % this.asked.healthy.length]!;
      return /holdfast/i.test(await this.said('x = 1', code));
    });
  }

  /** What the second of two cells displays, with a guard that is on. */
  private async said(first: string, code: string): Promise<string> {
    const kernel = await this.start('on');
    await this.idle(kernel, await kernel.execute(first));
    const request = await kernel.execute(code);
    await this.idle(kernel, request);
    const shown = kernel.messages.filter(
      ({ kind, parent }) => kind === 'display_data' && parent === request
    );
    await kernel.close();
    return shown
      .map(({ content }) => (content.data as Record<string, string>)['text/plain'])
      .join('\n');
  }

  private async idle(kernel: RawKernel, request: string): Promise<void> {
    const ended = (one: (typeof kernel.messages)[number]) =>
      one.kind === 'status' &&
      one.parent === request &&
      one.content.execution_state === 'idle';
    await kernel.until(() => kernel.messages.some(ended));
  }

  private async count(one: (i: number) => Promise<boolean>): Promise<number> {
    let found = 0;
    for (let i = 0; i < this.asked.count; i++) {
      found += Number(await one(i));
    }
    return found;
  }

  private async start(guard: string): Promise<RawKernel> {
    const folder = join(this.folder, `kernel-${++this.started}`);
    mkdirSync(folder);
    return RawKernel.start(join(this.folder, 'data/kernels/held/kernel.json'), folder, {
      ...process.env,
      HOLDFAST_HOME: join(this.folder, 'holdfast'),
      HOLDFAST_GUARD: guard,
      IPYTHONDIR: join(this.folder, 'ipython')
    });
  }

  async remove(): Promise<void> {
    await this.limit.remove();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private folder = mkdtempSync(join(tmpdir(), 'holdfast-raw-'));
  private limit = new MemoryLimit(320 * MIB);
  private started = 0;
}

async function main(): Promise<void> {
  const row = new RawRow(JSON.parse(readFileSync(0, 'utf8')) as IAsked);
  try {
    const answer = {
      right: await row.right(),
      loud: await row.loud(),
      named: await row.named(),
      wordy: await row.wordy()
    };
    console.log(JSON.stringify(answer));
  } finally {
    await row.remove();
  }
}

void main();
