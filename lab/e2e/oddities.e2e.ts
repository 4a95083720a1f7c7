// What is not as usual: two browsers, a server without the extension, a notebook that is read-only.

import { execFileSync } from 'node:child_process';

import { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { NotebookPage, startBrowser } from './browser';
import { REFUSED, SEGFAULT } from './programs';
import { JupyterServer } from './server';

const MIB = 1 << 20;
const patience = { timeout: 60_000 };
const PID = 'import os; print("kernel", os.getpid())';

let browser: Browser;
let server: JupyterServer;
let pages: NotebookPage[] = [];

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
});

afterEach(async ({ task }) => {
  for (const [i, page] of pages.entries()) {
    if (task.result?.state === 'fail') {
      await page.picture(`${task.name.slice(0, 20).replaceAll(' ', '-')}-failed-${i}`);
    }
    expect(page.errors, 'errors on the page').toEqual([]);
    await page.page.close();
  }
  pages = [];
  await server.stop();
});

async function open(name: string): Promise<NotebookPage> {
  const page = await NotebookPage.open(browser, server.page(`lab/tree/${name}`));
  pages.push(page);
  return page;
}

async function kernelOf(page: NotebookPage): Promise<string> {
  const said = () => page.output(0).textContent();
  await expect.poll(said, patience).toMatch(/^kernel \d+\s*$/);
  return (await said()) ?? '';
}

test('two browsers at one notebook are both told, and either may restart', async () => {
  server = await JupyterServer.start({ app: 'lab', memoryBytes: 512 * MIB });
  server.write('shared.ipynb', [PID, ...SEGFAULT.slice(1)]);
  const one = await open('shared.ipynb');
  await one.watched();
  const two = await open('shared.ipynb');
  await two.watched();
  await one.runAll();
  for (const page of [one, two]) {
    await page.notification.waitFor();
    expect(await page.notification.textContent()).toContain('cell [2], line 3');
  }
  const before = await kernelOf(one);
  // The one that ran the cells brings it back; the other sees no second death in that.
  await one.notification.getByRole('button', { name: /Restart and run/ }).click();
  await expect.poll(() => kernelOf(one), patience).not.toBe(before);
  await two.ready();
  await two.onlyOurs();
  expect(await two.notification.count()).toBe(1);
  expect(await two.output(0).textContent()).toBe('');
});

test('a server without the extension: the cell is told, and Jupyter says the rest', async () => {
  server = await JupyterServer.start({
    app: 'lab',
    memoryBytes: 512 * MIB,
    extension: false
  });
  server.write('bare.ipynb', SEGFAULT);
  const page = await open('bare.ipynb');
  await page.page.locator('.jp-SideBar [data-id="holdfast-panel"]').click();
  await expect.poll(() => page.panel.textContent(), patience).toContain('server');
  await page.ready();
  await page.runAll();
  await expect.poll(() => page.output(1).textContent(), patience).toContain('segfault');
  await page.dialog.waitFor(); // Jupyter's own: the cause is known to nobody here but the cell
  expect(await page.notification.count()).toBe(0);
  expect(await page.status.count()).toBe(0);
});

test('a notebook that is read-only: panel, buttons and restart as ever, nothing written', async () => {
  server = await JupyterServer.start({ app: 'lab', memoryBytes: 512 * MIB });
  server.write('fixed.ipynb', [PID, ...REFUSED, 'import os; os.abort()'], 'guarded');
  execFileSync('chattr', ['+i', server.file('fixed.ipynb')]);
  try {
    const page = await open('fixed.ipynb');
    await page.watched();
    await page.runAll();
    await page.memory.waitFor();
    await page.memory.getByRole('button', { name: 'Show variables' }).click();
    await expect
      .poll(() => page.memory.textContent(), patience)
      .toContain('The largest variables hold');
    await page.cell(3).locator('.jp-InputArea-editor').click();
    await page.page.keyboard.press('Control+Enter');
    await page.notification.waitFor();
    const before = await kernelOf(page);
    await page.notification.getByRole('button', { name: /Restart and run/ }).click();
    await expect.poll(() => kernelOf(page), patience).not.toBe(before);
    expect(await page.dialog.count()).toBe(0);
  } finally {
    execFileSync('chattr', ['-i', server.file('fixed.ipynb')]);
  }
});
