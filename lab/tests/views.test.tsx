import React from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test, vi } from 'vitest';

// Lab's own widgets want a browser; these views only want React.
vi.mock('@jupyterlab/ui-components', () => ({
  ReactWidget: class {},
  UseSignal: () => null
}));

import { factsOf } from '../src/memoryfacts';
import { MemoryView } from '../src/memoryview';
import { Report } from '../src/report';
import { SidePanelView } from '../src/sidepanel';
import { byGrowth } from '../src/sites';
import { StatusText } from '../src/statusitem';
import { MIB, verdict, watched } from './samples';

const nothing = () => undefined;

describe('the status item', () => {
  test('is a button with a name and a level', () => {
    const html = renderToStaticMarkup(
      <StatusText status={watched(512, 490)} onClick={nothing} />
    );
    expect(html).toContain('data-level="brink"');
    expect(html).toContain('490 MiB / 512 MiB');
    expect(html).toMatch(
      /aria-label="Memory of the kernel: .*96 % of the container limit"/
    );
  });

  test('shows GPU memory where there is one', () => {
    const status = watched(512, 100);
    status.gpus = [
      { name: 'H200', used_bytes: 70 * 1024 * MIB, total_bytes: 140 * 1024 * MIB }
    ];
    const html = renderToStaticMarkup(<StatusText status={status} onClick={nothing} />);
    expect(html).toContain('GPU 70 GiB / 140 GiB');
  });

  test('speaks of silent trouble', () => {
    const said = 'The loss is not a number any more.';
    const status = { ...watched(512, 100), trouble: said };
    const html = (busy: boolean) =>
      renderToStaticMarkup(<StatusText status={status} busy={busy} onClick={nothing} />);
    expect(html(true)).toContain(said);
    expect(html(false), 'of a cell that has ended').not.toContain('loss');
  });

  test('is absent where memory is unknown', () => {
    const status = { ...watched(512, 100), memory_bytes: null };
    expect(renderToStaticMarkup(<StatusText status={status} onClick={nothing} />)).toBe('');
  });
});

describe('the side panel', () => {
  const render = (status: Parameters<typeof SidePanelView>[0]['status']) =>
    renderToStaticMarkup(
      <SidePanelView
        status={status}
        deaths={[]}
        now={0}
        onOpen={nothing}
        onCheck={nothing}
      />
    );

  test('says how to watch a kernel that is not', () =>
    expect(render({ watched: false, ended: false })).toContain('holdfast kernel install'));
  test('says so when the kernel has ended', () =>
    expect(render({ watched: false, ended: true })).toContain('has ended'));
  test('says so where the server has no extension', () => {
    const html = renderToStaticMarkup(
      <SidePanelView
        status={null}
        absent
        deaths={[]}
        now={0}
        onOpen={nothing}
        onCheck={nothing}
      />
    );
    expect(html).toContain('pip install holdfast');
  });
  test('draws the curve of one that is', () =>
    expect(render(watched(512, 100, 200, 300))).toContain('role="img"'));
});

describe('the panel of a kernel about its memory', () => {
  const facts = factsOf({
    kind: 'refused',
    headline: 'Holdfast kept this kernel alive',
    variables: [
      {
        path: 'train',
        name: 'train',
        also: [],
        bytes: 200 * MIB,
        text: 'array',
        grown: MIB
      },
      null,
      { path: {}, bytes: 'many', text: 7 }
    ],
    grew: { name: {} },
    others: [{ name: 'a.ipynb', bytes: 80 * MIB, idle: 119 }, 'x'],
    advice: [{ text: 'Change `train` in place.', code: 'train *= 2' }, { text: {} }]
  });

  test('shows what it knows, and nothing of what a file holds beside it', () => {
    const html = renderToStaticMarkup(
      <MemoryView facts={facts!} now={null} actions={null} said="" />
    );
    expect(html.match(/<tr>/g)).toHaveLength(1);
    expect(html).toContain('array, +1 MiB lately');
    expect(html).toContain('80 MiB in a.ipynb, idle for 1 min');
    expect(html).toContain('<code>train</code><span> in place.');
  });

  test('keeps the words about the refusal beside the variables of now', () => {
    const now = { ...facts!, kind: 'variables' as const, headline: 'Now they hold 3 MiB' };
    const html = renderToStaticMarkup(
      <MemoryView facts={facts!} now={now} actions={null} said="" />
    );
    expect(html).toContain('kept this kernel alive');
    expect(html).toContain('Now they hold 3 MiB');
  });

  test.each([null, 7, 'text', [], {}, { headline: 7 }])('is none for %j', data =>
    expect(factsOf(data)).toBeNull()
  );
});

describe('the report', () => {
  const html = renderToStaticMarkup(<Report verdict={verdict()} />);
  test('tells the end, the root and the place', () => {
    expect(html).toContain('HF101 cgroup-oom · certain');
    expect(html).toContain('HF110 host-leak');
    expect(html).toContain('cell [2], line 3');
  });
  test('shows code as text', () =>
    expect(html).toContain('&lt;b&gt;keep&lt;/b&gt;.append(x)'));
});

test('lines are ordered by growth, then by what they hold', () => {
  const site = (line: number, live: number, growth: number | null) => ({
    file: 'a.py',
    line,
    live_bytes: live,
    growth_per_step_bytes: growth
  });
  const sorted = byGrowth([
    site(1, 900, null),
    site(2, 10, 5),
    site(3, 950, null),
    site(4, 1, 7)
  ]);
  expect(sorted.map(one => one.line)).toEqual([4, 2, 3, 1]);
});
