// Notebook 7 in a browser: no status bar and room for one document, the same words.

import { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { NotebookPage, startBrowser } from './browser';
import { LEAK, SEGFAULT } from './programs';
import { JupyterServer } from './server';

const MIB = 1 << 20;
const patience = { timeout: 60_000 };

let browser: Browser;
let server: JupyterServer;
let notebook: NotebookPage;

beforeAll(async () => {
  browser = await startBrowser();
  server = await JupyterServer.start({
    app: 'notebook',
    memoryBytes: 512 * MIB,
    theme: 'JupyterLab Dark'
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') {
    await notebook.picture('notebook-failed');
    console.log(server.log.slice(-4000));
  }
  expect(notebook.elsewhere, 'requests that left the server').toEqual([]);
  expect(notebook.errors, 'errors on the page').toEqual([]);
  await notebook.page.close();
});

async function open(name: string, cells: string[]): Promise<void> {
  server.write(name, cells);
  notebook = await NotebookPage.open(browser, server.page(`notebooks/${name}`));
  await notebook.watched();
}

test('memory stands beside the kernel, and a kill at the limit is told', async () => {
  await open('train.ipynb', LEAK);
  expect(await notebook.status.textContent()).toMatch(/MiB \/ 512 MiB/);
  await notebook.status.click();
  await notebook.panel.locator('.jp-Holdfast-curve').waitFor();
  await notebook.runAll();
  await notebook.warned();
  await notebook.picture('notebook-warning');

  await notebook.notification.waitFor(patience);
  expect(await notebook.notification.textContent()).toMatch(/train\.ipynb: .*memory limit/);
  expect(await notebook.output(1).textContent()).toContain('cgroup-oom');
  await notebook.onlyOurs();
  await notebook.notification.getByRole('button', { name: 'Open report' }).click();
  await notebook.report.waitFor();
  expect(await notebook.report.textContent()).toContain('HF101 cgroup-oom · certain');
  const room = notebook.page.locator('.jp-Holdfast-reportWidget');
  await expect.poll(async () => (await room.boundingBox())?.height).toBeGreaterThan(200);
  await notebook.picture('notebook-report');
});

test('a crash is told with the line of the cell', async () => {
  await open('crash.ipynb', SEGFAULT);
  await notebook.runAll();
  await notebook.notification.waitFor(patience);
  expect(await notebook.notification.textContent()).toMatch(
    /crash\.ipynb: .*cell \[2\], line 3/
  );
  await notebook.picture('notebook-segfault');
});
