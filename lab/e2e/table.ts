// A row of bench/jupyter: deaths and orderly ends of kernels in front of a real browser.
//
// One JSON object on stdin, {app, deaths: {slug: code}, refused: [[first cell, refused cell, name]],
// healthy: [cell], count}; one on stdout, {right, loud, named, wordy}. With `restarts` only those are
// played, and timed: {restarts: [seconds]}.

import { readFileSync } from 'node:fs';

import { Browser } from 'playwright-core';

import { NotebookPage, startBrowser } from './browser';
import { JupyterServer } from './server';

const MIB = 1 << 20;
/** The server's own watch on its kernels looks every 3 s. */
const LATE_WORDS = 4000;

interface IAsked {
  app: 'lab' | 'notebook';
  deaths: Record<string, string>;
  refused: [string, string, string][];
  healthy: string[];
  count: number;
  restarts?: boolean;
}

class Row {
  constructor(
    private asked: IAsked,
    private browser: Browser,
    private server: JupyterServer
  ) {}

  /** How many deaths are told in the cell that died, and nowhere else. */
  async right(): Promise<number> {
    const deaths = Object.entries(this.asked.deaths);
    return this.count(async i => {
      const [slug, code] = deaths[i % deaths.length]!;
      const notebook = await this.open(`${slug}-${i}.ipynb`, ['x = 1', code, 'y = 2']);
      await notebook.runAll();
      const told = await this.told(notebook, slug);
      if (!told) {
        await notebook.picture(`${this.asked.app}-table-${slug}-${i}`);
      }
      return told;
    }, false);
  }

  /** How many refused cells name what holds the memory, in a panel of our own. */
  async named(): Promise<number> {
    return this.count(async i => {
      const [first, code, wanted] = this.asked.refused[i % this.asked.refused.length]!;
      const notebook = await this.open(`refused-${i}.ipynb`, [first, code], 'guarded');
      await notebook.runAll();
      const largest = notebook.memory.locator('.jp-Holdfast-variables tr').first();
      const said = (await largest.textContent({ timeout: 60_000 }).catch(() => '')) ?? '';
      const told = said.includes(wanted) && (await notebook.notification.count()) === 0;
      if (!told) {
        await notebook.picture(`${this.asked.app}-table-refused-${i}`);
        console.error(`  not named: ${wanted}; ${said}`);
      }
      return told;
    }, false);
  }

  /** How many cells that were refused nothing say something of Holdfast. */
  async wordy(): Promise<number> {
    return this.count(async i => {
      const code = this.asked.healthy[i % this.asked.healthy.length]!;
      const notebook = await this.open(`healthy-${i}.ipynb`, ['x = 1', code], 'guarded');
      await notebook.runAll();
      await notebook.prompt(1).getByText('[2]:').waitFor();
      await notebook.ready();
      const shown = (await notebook.output(1).textContent()) ?? '';
      const words = (await notebook.memory.count()) + (await notebook.notification.count());
      return words > 0 || /holdfast/i.test(shown);
    }, true);
  }

  /** Seconds from a click on "Restart and run to here" until the first cell runs. */
  async restarts(): Promise<number[]> {
    const seconds: number[] = [];
    for (let i = 0; i < this.asked.count; i++) {
      const notebook = await this.open(`again-${i}.ipynb`, [
        'import time; print("at", time.time())',
        'import os; os.abort()'
      ]);
      await notebook.runAll();
      await notebook.notification.waitFor();
      // At once, or after the server has started the kernel anew.
      await notebook.page.waitForTimeout(i % 2 ? 6000 : 0);
      const before = await notebook.output(0).textContent();
      await notebook.notification.getByRole('button', { name: /Restart and run/ }).click();
      const clicked = Date.now() / 1000;
      let now = before;
      while (!now || now === before || !/at \d/.test(now)) {
        await notebook.page.waitForTimeout(50);
        now = await notebook.output(0).textContent();
      }
      seconds.push(Number(/at ([\d.]+)/.exec(now)?.[1]) - clicked);
      await this.closeAll();
    }
    return seconds.sort((a, b) => a - b);
  }

  /** How many restarts and shutdowns from the menu, idle or amid a cell, are not quiet. */
  async loud(): Promise<number> {
    let loud = 0;
    for (let done = 0; done < this.asked.count; ) {
      // Five on one page, the last of them a shutdown.
      const notebook = await this.open(`orderly-${done}.ipynb`, [
        'x = 1',
        'import time; print("on"); time.sleep(600)'
      ]);
      const last = Math.min(done + 5, this.asked.count);
      for (; done < last; done++) {
        if (done % 2) {
          await notebook.runAll();
          await notebook.output(1).getByText('on').waitFor();
        }
        await (done === last - 1 ? notebook.shutDown() : notebook.restart());
        loud += Number(await this.speaks(notebook));
      }
      await notebook.page.waitForTimeout(LATE_WORDS);
      loud += Number(await this.speaks(notebook));
      await this.closeAll();
    }
    return loud;
  }

  /** A page that fails counts as `onFailure`, and the others go on. */
  private async count(
    one: (i: number) => Promise<boolean>,
    onFailure: boolean
  ): Promise<number> {
    let counted = 0;
    for (let i = 0; i < this.asked.count; i++) {
      const seen = await one(i).catch((error: unknown) => {
        console.error(`  failed: ${String(error)}`);
        return onFailure;
      });
      counted += Number(seen);
      await this.closeAll();
    }
    return counted;
  }

  private async closeAll(): Promise<void> {
    for (const context of this.browser.contexts()) {
      await Promise.all(context.pages().map(page => page.close()));
    }
    await this.server.shutDownKernels();
  }

  private async open(
    name: string,
    cells: string[],
    kernel?: string
  ): Promise<NotebookPage> {
    this.server.write(name, cells, kernel);
    const folder = this.asked.app === 'lab' ? 'lab/tree' : 'notebooks';
    const page = this.server.page(`${folder}/${name}`);
    const notebook = await NotebookPage.open(this.browser, page);
    await notebook.watched();
    return notebook;
  }

  private async told(notebook: NotebookPage, slug: string): Promise<boolean> {
    const words = notebook.output(1).getByText(slug).first();
    const came = await words.waitFor({ timeout: 30_000 }).then(
      () => true,
      () => false
    );
    const shown = (await notebook.output(1).textContent()) ?? '';
    // Who sends itself a signal is told of as killed, and by whom, not where.
    const placed = slug === 'killed' || shown.includes('cell [2]');
    const before = (await notebook.output(0).textContent()) ?? '';
    const after = (await notebook.output(2).textContent()) ?? '';
    // Was it sent already, it fails, and says that it was not run.
    const elsewhere = /KernelDied(?!: not run)/;
    return came && placed && !elsewhere.test(before) && !elsewhere.test(after);
  }

  private async speaks(notebook: NotebookPage): Promise<boolean> {
    const shown = await notebook.output(1).textContent();
    return (await notebook.notification.count()) > 0 || !!shown?.includes('KernelDied');
  }
}

async function main(): Promise<void> {
  const asked = JSON.parse(readFileSync(0, 'utf8')) as IAsked;
  const browser = await startBrowser();
  const server = await JupyterServer.start({ app: asked.app, memoryBytes: 512 * MIB });
  try {
    const row = new Row(asked, browser, server);
    const answer = asked.restarts
      ? { restarts: await row.restarts() }
      : {
          right: await row.right(),
          loud: await row.loud(),
          named: await row.named(),
          wordy: await row.wordy()
        };
    console.log(JSON.stringify(answer));
  } finally {
    await browser.close();
    await server.stop();
  }
}

void main();
