import React from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test, vi } from 'vitest';

// Lab's own widgets want a browser; these views only want React.
vi.mock('@jupyterlab/ui-components', () => ({
  LabIcon: class {},
  ReactWidget: class {},
  UseSignal: () => null
}));
vi.mock('@jupyterlab/apputils', () => ({ MainAreaWidget: class {} }));

import { CheckFinding, CheckReport, EnvironmentCheck, reasons } from '../src/check';
import { CheckView } from '../src/checkview';

const nothing = () => undefined;

function finding(severity: CheckFinding['severity']): CheckFinding {
  return {
    code: 'HF113',
    slug: 'shm-full',
    severity,
    check: 'shm-size',
    summary: '/dev/shm has 64 MiB.',
    evidence: [{ source: '/dev/shm', text: '64 MiB' }],
    fixes: [{ text: 'Give it more.', code: 'docker run --shm-size=8g <image>' }]
  };
}

function report(...findings: CheckFinding[]): CheckReport {
  return {
    python: { program: '/env/bin/python', version: '3.11', frameworks: ['torch 2.9.0'] },
    findings,
    fine: 40,
    impossible: [{ check: 'gpu-ecc', why: 'no NVIDIA GPU or driver' }]
  };
}

const render = (state: Parameters<typeof CheckView>[0]['state']) =>
  renderToStaticMarkup(<CheckView state={state} onAgain={nothing} />);

describe('the check', () => {
  test('is as loud as its worst finding', () => {
    expect(render(report(finding('blocks'), finding('note')))).toContain('cannot train');
    expect(render(report(finding('will-hurt')))).toContain('but not well');
    expect(render(report(finding('note')))).toContain('Nothing here gets in the way');
    expect(render(report())).toContain('Nothing here gets in the way');
  });

  test('says what was judged, found, read and mended', () => {
    const html = render(report(finding('will-hurt')));
    expect(html).toContain('<code>/env/bin/python</code>, with torch 2.9.0.');
    expect(html).toContain('<b>will hurt:</b> /dev/shm has 64 MiB.');
    expect(html).toContain('HF113 shm-full');
    expect(html).toContain('--shm-size=8g &lt;image&gt;');
    expect(html).toContain('<th scope="row">/dev/shm</th>');
    expect(html).toContain('<summary>40 checks fine, 1 not possible</summary>');
    expect(html).toContain('Not possible: no NVIDIA GPU or driver (1).');
  });

  test('says so while it looks, and when there is no answer', () => {
    expect(render('asking')).toContain('aria-busy="true"');
    expect(render('failed')).toContain('gave no answer');
  });

  test('asks for the kernel in front, and shows the newest answer only', async () => {
    const answers: ((report: CheckReport | null) => void)[] = [];
    const asked: (string | null)[] = [];
    const check = new EnvironmentCheck(
      {
        check: kernel => {
          asked.push(kernel);
          return new Promise(done => answers.push(done));
        }
      },
      () => `k${asked.length}`
    );
    const first = check.refresh();
    const second = check.refresh();
    const newest = report(finding('note'));
    answers[1]?.(newest);
    await second;
    answers[0]?.(null);
    await first;
    expect(asked).toEqual(['k0', 'k1']);
    expect(check.state).toBe(newest);
  });
});

test('reasons are counted, the commonest first', () => {
  const because = (why: string) => ({ check: 'x', why });
  expect(reasons([because('a'), because('b'), because('b')])).toBe('b (2), a (1)');
});
