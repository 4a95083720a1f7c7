// JupyterLab in a browser: real deaths, and what the user sees of them.

import { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { NotebookPage, startBrowser } from './browser';
import { LEAK, REFUSED, SEGFAULT } from './programs';
import { JupyterServer } from './server';

const MIB = 1 << 20;
const patience = { timeout: 60_000 };

let browser: Browser;
let server: JupyterServer;
let notebook: NotebookPage;

beforeAll(async () => {
  browser = await startBrowser();
  server = await JupyterServer.start({ app: 'lab', memoryBytes: 512 * MIB });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') {
    await notebook.picture('lab-failed');
    console.log(server.log.slice(-4000));
  }
  expect(notebook.elsewhere, 'requests that left the server').toEqual([]);
  expect(notebook.errors, 'errors on the page').toEqual([]);
  await notebook.page.close();
});

async function open(name: string, cells: string[], kernel?: string): Promise<void> {
  server.write(name, cells, kernel);
  notebook = await NotebookPage.open(browser, server.page(`lab/tree/${name}`));
  if (!kernel) {
    await notebook.watched();
  }
}

describe('a kernel that the memory limit kills', () => {
  test('is warned of, told in the cell and in a notification, and brought back', async () => {
    await open('train.ipynb', [...LEAK, 'print("after")']);
    await expect.poll(() => notebook.status.textContent()).toMatch(/MiB \/ 512 MiB/);
    await notebook.status.focus();
    await notebook.page.keyboard.press('Enter');
    await notebook.panel.locator('.jp-Holdfast-curve').waitFor();

    await notebook.runAll();
    await notebook.warned();
    await notebook.picture('lab-warning');
    await expect
      .poll(() => notebook.panel.textContent(), patience)
      .toContain('cell [2], line 2');

    await notebook.notification.waitFor();
    expect(await notebook.notification.textContent()).toMatch(
      /train\.ipynb: .*memory limit/
    );
    expect(await notebook.output(1).textContent()).toContain('KernelDied');
    expect(await notebook.output(1).textContent()).toContain('cgroup-oom');
    await notebook.picture('lab-death');
    await notebook.onlyOurs();
    await notebook.picture('lab-told');

    await notebook.notification.getByRole('button', { name: 'Open report' }).click();
    await notebook.report.waitFor();
    const report = await notebook.report.textContent();
    expect(report).toContain('HF101 cgroup-oom · certain');
    expect(report).toContain('cell [2], line 2');
    await expect
      .poll(() => notebook.panel.locator('.jp-Holdfast-deaths').textContent())
      .toMatch(/host-leak|cgroup-oom/);
    await notebook.picture('lab-report');

    await expect.poll(() => notebook.notification.count(), patience).toBe(0); // it would cover it
    const before = await notebook.output(0).textContent();
    await notebook.report.getByRole('button', { name: /Restart and run/ }).click();
    await expect
      .poll(async () => {
        const now = await notebook.output(0).textContent();
        return now !== before && /^kernel \d+\s*$/.test(now ?? '');
      }, patience)
      .toBe(true);
    expect(await notebook.output(1).textContent()).toContain('KernelDied');
    await expect
      .poll(() => notebook.cell(1).getAttribute('class'))
      .toContain('jp-mod-selected');
    // The one that was sent after it was not run, neither then nor now.
    expect(await notebook.output(2).textContent()).not.toContain('after');
  });
});

describe('a cell that is refused memory', () => {
  test('says so, and its buttons show and free what holds it', async () => {
    await open('refused.ipynb', REFUSED, 'guarded');
    await notebook.watched();
    await notebook.runAll();
    await notebook.memory.waitFor();
    await expect
      .poll(() => notebook.memory.textContent())
      .toMatch(/Holdfast kept this kernel alive.*train.*float64 array/);
    expect(await notebook.memory.textContent()).toContain('train *= 2');
    await notebook.picture('lab-refused');
    await notebook.memory.getByRole('button', { name: 'Free' }).click();
    await expect.poll(() => notebook.memory.textContent(), patience).toContain('Freed:');
    await notebook.memory.getByRole('button', { name: 'Show variables' }).click();
    await expect
      .poll(() => notebook.memory.textContent(), patience)
      .toContain('The largest variables hold');
    expect(await notebook.notification.count()).toBe(0);
  });
});

describe('a kernel that crashes', () => {
  test('says so once, with the line of the cell', async () => {
    await open('crash.ipynb', SEGFAULT);
    await notebook.runAll();
    await notebook.notification.waitFor();
    expect(await notebook.notification.textContent()).toMatch(
      /crash\.ipynb: .*cell \[2\], line 3/
    );
    expect(await notebook.output(1).textContent()).toContain('segfault');
    await notebook.onlyOurs();
    await notebook.picture('lab-segfault');
    expect(await notebook.notification.count()).toBe(1);
  });
});

describe('memory by notebook', () => {
  test('shuts down another notebook when it is confirmed, and its row goes', async () => {
    await open('other.ipynb', ['held = bytearray(b"x") * (80 << 20)']);
    await notebook.runAll();
    await expect.poll(() => notebook.prompt(0).textContent(), patience).toBe('[1]:');
    await notebook.page.close(); // its kernel runs on
    await open('here.ipynb', ['print("here")']);
    await notebook.status.click();
    const row = notebook.panel.locator('.jp-Holdfast-notebooks tr', {
      hasText: 'other.ipynb'
    });
    await row.waitFor();
    await row.getByRole('button', { name: /^Shut down/ }).click();
    expect(await notebook.dialog.textContent()).toContain('The kernel of other.ipynb');
    await notebook.picture('lab-shut-down');
    await notebook.dialog.getByRole('button', { name: 'Shut Down' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await server.sessions()).not.toContain('other.ipynb');
    expect(await server.sessions()).toContain('here.ipynb');
    expect(await notebook.panel.locator('.jp-Holdfast-notebooks').textContent()).toContain(
      'here.ipynb'
    );
    await notebook.page.waitForTimeout(4000); // the server's own watch looks every 3 s
    expect(await notebook.notification.count()).toBe(0);
  });
});

describe("Jupyter's own dialog", () => {
  test('leaves the notebook where the panel is in view', async () => {
    await open('view.ipynb', [...SEGFAULT, ...SEGFAULT, ...SEGFAULT]);
    await notebook.page.setViewportSize({ width: 1280, height: 480 });
    await notebook.runAll(); // the last cell is selected now, far below
    await notebook.notification.waitFor();
    const verdict = notebook.output(1).locator('.holdfast-verdict');
    await verdict.scrollIntoViewIfNeeded();
    const before = (await verdict.boundingBox())?.y;
    await notebook.onlyOurs();
    expect((await verdict.boundingBox())?.y).toBe(before);
  });
});

describe('no word', () => {
  test('about a restart from the menu', async () => {
    await open('restart.ipynb', ['print("one")', 'import time; time.sleep(600)']);
    await notebook.runAll();
    await expect.poll(() => notebook.prompt(1).textContent(), patience).toBe('[*]:');
    await notebook.page.getByRole('menuitem', { name: 'Kernel', exact: true }).click();
    await notebook.page.getByRole('menuitem', { name: /^Restart Kernel…/ }).click();
    await notebook.dialog.getByRole('button', { name: 'Confirm Kernel Restart' }).click();
    await expect.poll(() => notebook.prompt(1).textContent(), patience).toBe('[ ]:');
    await notebook.watched();
    await notebook.page.waitForTimeout(4000); // the server's own watch looks every 3 s
    expect(await notebook.notification.count()).toBe(0);
    expect(await notebook.output(1).textContent()).not.toContain('KernelDied');
  });

  test('about a kernel that is not watched, but how to watch it', async () => {
    await open('plain.ipynb', ['print("one")'], 'plain');
    await expect
      .poll(async () => {
        await notebook.runAll();
        return notebook.output(0).textContent();
      }, patience)
      .toContain('one');
    expect(await notebook.status.count()).toBe(0);
    await notebook.page.locator('.jp-SideBar [data-id="holdfast-panel"]').click();
    await expect
      .poll(() => notebook.panel.textContent(), patience)
      .toContain('holdfast kernel install');
  });
});
