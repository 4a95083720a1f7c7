// A row of bench/jupyter: deaths and orderly ends of kernels in front of a real browser.
//
// One JSON object on stdin, {app, deaths: {slug: code}, count}; one on stdout, {right, loud}.

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
  count: number;
}

class Row {
  constructor(
    private asked: IAsked,
    private browser: Browser,
    private server: JupyterServer
  ) {}

  /** How many deaths are told in the cell that died, and nowhere else. */
  async right(): Promise<number> {
    let right = 0;
    const deaths = Object.entries(this.asked.deaths);
    for (let i = 0; i < this.asked.count; i++) {
      const [slug, code] = deaths[i % deaths.length]!;
      const notebook = await this.open(`${slug}-${i}.ipynb`, ['x = 1', code, 'y = 2']);
      await notebook.runAll();
      const told = await this.told(notebook, slug);
      if (!told) {
        await notebook.picture(`${this.asked.app}-table-${slug}-${i}`);
      }
      right += Number(told);
      await this.close(notebook);
    }
    return right;
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
      await this.close(notebook);
    }
    return loud;
  }

  private async open(name: string, cells: string[]): Promise<NotebookPage> {
    this.server.write(name, cells);
    const folder = this.asked.app === 'lab' ? 'lab/tree' : 'notebooks';
    const page = this.server.page(`${folder}/${name}`);
    const notebook = await NotebookPage.open(this.browser, page);
    await notebook.watched();
    return notebook;
  }

  private async close(notebook: NotebookPage): Promise<void> {
    await notebook.page.close();
    await this.server.shutDownKernels();
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
    console.log(JSON.stringify({ right: await row.right(), loud: await row.loud() }));
  } finally {
    await browser.close();
    await server.stop();
  }
}

void main();
