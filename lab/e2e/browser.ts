// A headless Chromium that notes every request which leaves the server.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { Browser, chromium, Locator, Page } from 'playwright-core';

import { SCREENSHOTS } from './server';

const CHROMIUM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome'
];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
];

export async function startBrowser(): Promise<Browser> {
  const found = process.env.CHROMIUM ?? CHROMIUM.find(path => existsSync(path));
  if (!found) {
    throw new Error('no Chromium: apt-get install chromium, or set CHROMIUM');
  }
  return chromium.launch({ executablePath: found, args: FLAGS });
}

/** A notebook in Lab or Notebook 7, and the parts of the page that the tests read. */
export class NotebookPage {
  static async open(browser: Browser, address: string): Promise<NotebookPage> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    const notebook = new NotebookPage(page, new URL(address).host);
    await page.goto(address);
    await notebook.cell(0).waitFor({ timeout: 120_000 });
    return notebook;
  }

  private constructor(
    readonly page: Page,
    host: string
  ) {
    page.on('request', request => {
      const url = new URL(request.url());
      if (!['data:', 'blob:'].includes(url.protocol) && url.host !== host) {
        this.elsewhere.push(request.url());
      }
    });
    page.on('pageerror', error => {
      // Lab has errors of its own when a kernel goes away.
      if (error.stack?.includes('/extensions/holdfast-lab/')) {
        this.errors.push(String(error));
      }
    });
  }

  cell(index: number): Locator {
    return this.page.locator('.jp-NotebookPanel-notebook .jp-CodeCell').nth(index);
  }

  prompt(index: number): Locator {
    return this.cell(index).locator('.jp-InputPrompt');
  }

  output(index: number): Locator {
    return this.cell(index).locator('.jp-OutputArea');
  }

  get status(): Locator {
    return this.page.locator('.jp-Holdfast-status');
  }

  get panel(): Locator {
    return this.page.locator('#holdfast-panel');
  }

  get report(): Locator {
    return this.page.locator('.jp-Holdfast-report');
  }

  /** Lab's own "Kernel Restarting". */
  get dialog(): Locator {
    return this.page.locator('.jp-Dialog');
  }

  get notification(): Locator {
    return this.page.locator('.Toastify__toast');
  }

  /** The panel below a cell that was refused memory. */
  get memory(): Locator {
    return this.page.locator('.jp-Holdfast-memory');
  }

  /** Until the kernel runs and is seen to be watched. */
  async watched(): Promise<void> {
    await this.status.waitFor({ timeout: 60_000 });
    await this.ready();
  }

  async ready(): Promise<void> {
    await this.page
      .locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]:visible')
      .waitFor({ timeout: 60_000 });
  }

  /** Until the status item has its warning colour. */
  async warned(): Promise<void> {
    await this.page
      .locator('.jp-Holdfast-status:not([data-level="calm"])')
      .waitFor({ timeout: 60_000 });
  }

  async runAll(): Promise<void> {
    await this.page.getByRole('menuitem', { name: 'Run', exact: true }).click();
    await this.page.getByRole('menuitem', { name: /^Run All Cells/ }).click();
  }

  /** From the menu, until the new kernel is there. */
  async restart(): Promise<void> {
    await this.fromKernelMenu(/^Restart Kernel…/);
    await this.dialog.getByRole('button', { name: 'Confirm Kernel Restart' }).click();
    await this.dialog.waitFor({ state: 'detached' });
    await this.watched();
  }

  /** From the menu, until there is no kernel. */
  async shutDown(): Promise<void> {
    await this.fromKernelMenu(/^Shut Down Kernel/);
    await this.status.waitFor({ state: 'detached' });
  }

  private async fromKernelMenu(name: RegExp): Promise<void> {
    await this.page.getByRole('menuitem', { name: 'Kernel', exact: true }).click();
    await this.page.getByRole('menuitem', { name }).click();
  }

  /** Lab's own dialog comes up to 3 s after a death, and goes again where the cause is told. */
  async onlyOurs(): Promise<void> {
    await this.page.waitForTimeout(6000);
    if (await this.dialog.count()) {
      throw new Error(`a dialog: ${await this.dialog.textContent()}`);
    }
  }

  async picture(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  elsewhere: string[] = [];
  errors: string[] = [];
}
