import React from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test, vi } from 'vitest';

// Lab's own widgets want a browser; these views only want React.
vi.mock('@jupyterlab/ui-components', () => ({
  ReactWidget: class {},
  UseSignal: () => null
}));

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
    const html = renderToStaticMarkup(<StatusText status={status} onClick={nothing} />);
    expect(html).toContain(`data-level="warning">${said}`);
    expect(
      renderToStaticMarkup(<StatusText status={watched(512, 100)} onClick={nothing} />)
    ).not.toContain('loss');
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
  test('draws the curve of one that is', () =>
    expect(render(watched(512, 100, 200, 300))).toContain('role="img"'));
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
