// Contrast, names and roles of all that the extension shows, in both themes, judged by axe-core.

import axe from 'axe-core';
import { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { NotebookPage, startBrowser } from './browser';
import { REFUSED } from './programs';
import { JupyterServer } from './server';

const MIB = 1 << 20;
const THEMES = ['JupyterLab Light', 'JupyterLab Dark'];

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
});

/** What is serious or worse below an element: "rule: element". */
async function findings(notebook: NotebookPage, selector: string): Promise<string[]> {
  await notebook.page.evaluate(axe.source);
  const tags = ['wcag2a', 'wcag2aa'];
  const results = await notebook.page.evaluate(
    ([where, only]) =>
      (window as unknown as { axe: typeof axe }).axe.run(where, {
        runOnly: { type: 'tag', values: only }
      }),
    [selector, tags] as const
  );
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

test.each(THEMES)('nothing serious in %s', async theme => {
  const server = await JupyterServer.start({ app: 'lab', memoryBytes: 512 * MIB, theme });
  try {
    server.write(
      'axe.ipynb',
      [...REFUSED, 'import ctypes\n\nctypes.string_at(0)'],
      'guarded'
    );
    const notebook = await NotebookPage.open(browser, server.page('lab/tree/axe.ipynb'));
    await notebook.watched();
    await notebook.status.click();
    await notebook.panel.locator('.jp-Holdfast-notebooks').waitFor();
    await notebook.runAll();
    await notebook.memory.waitFor().catch(async (reason: unknown) => {
      await notebook.picture('axe-failed');
      throw reason;
    });
    const dark = theme.includes('Dark') ? 'dark' : 'light';
    await notebook.picture(`axe-refused-${dark}`);
    const seen = {
      memory: await findings(notebook, '.jp-Holdfast-memory'),
      sidePanel: await findings(notebook, '#holdfast-panel'),
      status: await findings(notebook, '.jp-Holdfast-statusItem'),
      dialog: [] as string[],
      notification: [] as string[],
      verdict: [] as string[],
      report: [] as string[]
    };
    await notebook.panel.getByRole('button', { name: /^Shut down/ }).click();
    await notebook.dialog.waitFor();
    seen.dialog = await findings(notebook, '.jp-Dialog');
    await notebook.picture(`axe-dialog-${dark}`);
    await notebook.dialog.getByRole('button', { name: 'Cancel' }).click();
    await notebook.cell(2).locator('.jp-InputArea-editor').click();
    await notebook.page.keyboard.press('Shift+Enter');
    await notebook.notification.waitFor();
    seen.notification = await findings(notebook, '.Toastify__toast');
    seen.verdict = await findings(notebook, '.holdfast-verdict');
    await notebook.notification.getByRole('button', { name: 'Open report' }).click();
    await notebook.report.waitFor();
    seen.report = await findings(notebook, '.jp-Holdfast-report');
    await notebook.picture(`axe-report-${dark}`);
    await notebook.page.close();
    expect(seen).toEqual({
      memory: [],
      sidePanel: [],
      status: [],
      dialog: [],
      notification: [],
      verdict: [],
      report: []
    });
  } finally {
    await server.stop();
  }
});
