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
import { ITurns, inTurns } from './turns';

const MIB = 1 << 20;

interface IAsked extends ITurns {
  deaths: Record<string, string>;
  refused: [string, string, string][];
  healthy: string[];
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

  async right(i: number): Promise<boolean> {
    const deaths = Object.entries(this.asked.deaths);
    const [slug, code] = deaths[i % deaths.length]!;
    const kernel = await this.start('warn');
    const request = await kernel.execute(code);
    const error = await kernel.heard('error', request).catch(() => null);
    const said = String(error?.content.evalue);
    const { stderr } = await kernel.ended;
    await kernel.close();
    const placed = slug === 'killed' || said.includes('cell [1]');
    const told = said.includes(` ${slug}`) && placed && /^holdfast: /m.test(stderr);
    if (!told) {
      console.error(`  not told: ${slug}; ${said}; ${stderr}`);
    }
    return told;
  }

  /** As VS Code ends a kernel: by message, then by signal; idle or amid a cell. */
  async quiet(i: number): Promise<boolean> {
    const kernel = await this.start('warn');
    if (i % 2) {
      const busy = await kernel.execute('print("on")\nimport time; time.sleep(600)');
      await kernel.heard('stream', busy);
    }
    await kernel.askToShutDown();
    kernel.kill('SIGTERM');
    const { stderr } = await kernel.ended;
    const errors = kernel.messages.filter(({ content }) => content.ename === 'KernelDied');
    await kernel.close();
    return errors.length === 0 && !/^holdfast: /m.test(stderr);
  }

  async named(i: number): Promise<boolean> {
    const [first, code, wanted] = this.asked.refused[i % this.asked.refused.length]!;
    const said = await this.said(first, code);
    const lines = said.split('\n');
    const told = lines[0]!.startsWith('Holdfast ') && !!lines[1]?.includes(wanted);
    if (!told) {
      console.error(`  not named: ${wanted}; ${said.slice(0, 300)}`);
    }
    return told;
  }

  async silent(i: number): Promise<boolean> {
    const code = this.asked.healthy[i % this.asked.healthy.length]!;
    return !/holdfast/i.test(await this.said('x = 1', code));
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

  private async start(guard: string): Promise<RawKernel> {
    const folder = join(this.folder, `kernel-${++this.started}`);
    mkdirSync(folder);
    this.kernel = await RawKernel.start(
      join(this.folder, 'data/kernels/held/kernel.json'),
      folder,
      {
        ...process.env,
        HOLDFAST_HOME: join(this.folder, 'holdfast'),
        HOLDFAST_GUARD: guard,
        IPYTHONDIR: join(this.folder, 'ipython')
      }
    );
    return this.kernel;
  }

  /** What a trial that failed has left. */
  async closeAll(): Promise<void> {
    await this.kernel?.close();
  }

  async remove(): Promise<void> {
    await this.limit.remove();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private folder = mkdtempSync(join(tmpdir(), 'holdfast-raw-'));
  private limit = new MemoryLimit(320 * MIB);
  private started = 0;
  private kernel: RawKernel | null = null;
}

async function main(): Promise<void> {
  const asked = JSON.parse(readFileSync(0, 'utf8')) as IAsked;
  const row = new RawRow(asked);
  try {
    const kinds = {
      right: (i: number) => row.right(i),
      quiet: (i: number) => row.quiet(i),
      named: (i: number) => row.named(i),
      silent: (i: number) => row.silent(i)
    };
    const answer = await inTurns(asked, kinds, () => row.closeAll());
    console.log(JSON.stringify(answer));
  } finally {
    await row.remove();
  }
}

void main();
