// The check before training, in JupyterLab: opened from the side panel, for the kernel in front.

import { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { NotebookPage, startBrowser } from './browser';
import { JupyterServer, PYTHON } from './server';

const MIB = 1 << 20;
const patience = { timeout: 60_000 };

let browser: Browser;
let server: JupyterServer;

beforeAll(async () => {
  browser = await startBrowser();
  server = await JupyterServer.start({ app: 'lab', memoryBytes: 512 * MIB });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test('a tab says what will hurt, whose environment it was, and looks again', async () => {
  server.write('train.ipynb', [
    'open("torch.py", "w").close()',
    'import os; os.remove("torch.py")'
  ]);
  const notebook = await NotebookPage.open(browser, server.page('lab/tree/train.ipynb'));
  await notebook.watched();
  await notebook.page.locator('.jp-SideBar [data-id="holdfast-panel"]').click();
  await notebook.panel.getByRole('button', { name: /Check machine/ }).click();
  const tab = notebook.page.locator('.jp-Holdfast-check');
  await expect.poll(() => tab.textContent(), patience).toContain('checks fine');
  expect(await tab.textContent()).toContain(PYTHON);
  expect(await tab.textContent()).not.toContain('torch.py');
  await notebook.picture('lab-check');

  // The first cell puts a file into the notebook's folder that stands in front of a module.
  await notebook.cell(0).click();
  await notebook.page.keyboard.press('Control+Enter');
  await expect.poll(() => notebook.prompt(0).textContent(), patience).toBe('[1]:');
  await tab.getByRole('button', { name: 'Check again' }).click();
  await expect.poll(() => tab.textContent(), patience).toContain('torch.py');
  expect(await tab.locator('[data-severity="will-hurt"]').count()).toBeGreaterThan(0);
  await notebook.picture('lab-check-hurt');
  expect(notebook.elsewhere, 'requests that left the server').toEqual([]);
  expect(notebook.errors, 'errors on the page').toEqual([]);
});
