// A row of bench/jupyter: deaths and orderly ends of kernels in front of a real browser.
//
// One JSON object on stdin, {app, deaths: {slug: code}, refused: [[first cell, refused cell, name]],
// healthy: [cell]} and which trials to play (turns.ts); one on stdout, how many of each kind went as
// they should. With `restarts` only those are played, and timed.

import { readFileSync } from 'node:fs';

import { Browser } from 'playwright-core';

import { NotebookPage, startBrowser } from './browser';
import { JupyterServer } from './server';
import { ITurns, inTurns, numbers } from './turns';

const MIB = 1 << 20;
/** The server's own watch on its kernels looks every 3 s. */
const LATE_WORDS = 4000;
/** Seconds. */
const LONGEST_RESTART = 60;

interface IAsked extends ITurns {
  app: 'lab' | 'notebook';
  deaths: Record<string, string>;
  refused: [string, string, string][];
  healthy: string[];
  restarts: boolean;
}

class Row {
  constructor(
    private asked: IAsked,
    private browser: Browser,
    private server: JupyterServer
  ) {}

  /** Whether a death is told in the cell that died, and nowhere else. */
  async right(i: number): Promise<boolean> {
    const deaths = Object.entries(this.asked.deaths);
    const [slug, code] = deaths[i % deaths.length]!;
    const notebook = await this.open(`${slug}-${i}.ipynb`, ['x = 1', code, 'y = 2']);
    await notebook.runAll();
    const told = await this.told(notebook, slug);
    if (!told) {
      await notebook.picture(`${this.asked.app}-table-${slug}-${i}`);
    }
    await this.closeAll();
    return told;
  }

  /** Whether a refused cell names what holds the memory, in a panel of our own. */
  async named(i: number): Promise<boolean> {
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
    await this.closeAll();
    return told;
  }

  /** Whether a cell that was refused nothing says nothing of Holdfast. */
  async silent(i: number): Promise<boolean> {
    const code = this.asked.healthy[i % this.asked.healthy.length]!;
    const notebook = await this.open(`healthy-${i}.ipynb`, ['x = 1', code], 'guarded');
    await notebook.runAll();
    await notebook.prompt(1).getByText('[2]:').waitFor();
    await notebook.ready();
    const shown = (await notebook.output(1).textContent()) ?? '';
    const words = (await notebook.memory.count()) + (await notebook.notification.count());
    await this.closeAll();
    return words === 0 && !/holdfast/i.test(shown);
  }

  /** Whether a restart or shutdown from the menu, idle or amid a cell, is quiet. */
  async quiet(i: number): Promise<boolean> {
    const notebook = await this.open(`orderly-${i}.ipynb`, [
      'x = 1',
      'import time; print("on"); time.sleep(600)'
    ]);
    if (i % 2) {
      await notebook.runAll();
      await notebook.output(1).getByText('on').waitFor();
    }
    await (i % 5 === 4 ? notebook.shutDown() : notebook.restart());
    await notebook.page.waitForTimeout(LATE_WORDS);
    const speaks = await this.speaks(notebook);
    await this.closeAll();
    return !speaks;
  }

  /** Seconds from a click on "Restart and run to here" until the first cell runs. */
  async restarts(): Promise<Record<string, number[]>> {
    const atOnce = 'clicked at once';
    const later = 'clicked when the server has restarted it';
    const seconds: Record<string, number[]> = { [atOnce]: [], [later]: [] };
    for (const i of numbers(this.asked)) {
      const notebook = await this.open(`again-${i}.ipynb`, [
        'import time; print("at", time.time())',
        'import os; os.abort()'
      ]);
      await notebook.runAll();
      await notebook.notification.waitFor();
      await notebook.page.waitForTimeout(i % 2 ? 6000 : 0);
      const before = await notebook.output(0).textContent();
      await notebook.notification.getByRole('button', { name: /Restart and run/ }).click();
      const clicked = Date.now() / 1000;
      const at = /at ([\d.]+)/;
      let now = before;
      while (!now || now === before || !at.test(now)) {
        if (Date.now() / 1000 > clicked + LONGEST_RESTART) {
          await notebook.picture(`${this.asked.app}-table-again-${i}`);
          break;
        }
        await notebook.page.waitForTimeout(50);
        now = await notebook.output(0).textContent();
      }
      const began = now === before ? null : at.exec(now ?? '')?.[1];
      seconds[i % 2 ? later : atOnce]!.push(
        began ? Number(began) - clicked : LONGEST_RESTART
      );
      await this.closeAll();
    }
    return seconds;
  }

  async closeAll(): Promise<void> {
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
    const kinds = {
      right: (i: number) => row.right(i),
      quiet: (i: number) => row.quiet(i),
      named: (i: number) => row.named(i),
      silent: (i: number) => row.silent(i)
    };
    const answer = asked.restarts
      ? { restarts: await row.restarts() }
      : await inTurns(asked, kinds, () => row.closeAll());
    console.log(JSON.stringify(answer));
  } finally {
    await browser.close();
    await server.stop();
  }
}

void main();
