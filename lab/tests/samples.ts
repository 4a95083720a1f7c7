// Values as the server sends them.

import { CurvePoint, Finding, Verdict, Watched } from '../src/protocol';

export const MIB = 2 ** 20;

export function curve(limit: number, ...used: number[]): CurvePoint[] {
  return used.map((bytes, i) => ({
    seconds: 2 * i,
    used_bytes: bytes * MIB,
    limit_bytes: limit * MIB
  }));
}

export function watched(limit: number, ...used: number[]): Watched {
  return {
    watched: true,
    run: '20260101-000000-000-1',
    memory_bytes: (used.at(-1) ?? 0) * MIB,
    limit_bytes: limit * MIB,
    limit_name: 'container limit',
    peak_bytes: null,
    process_bytes: null,
    steps: 0,
    epoch: 0,
    guard: null,
    trouble: null,
    gpus: [],
    curve: curve(limit, ...used),
    top_sites: []
  };
}

function finding(code: string, slug: string, more: Partial<Finding> = {}): Finding {
  return {
    code,
    slug,
    confidence: 'certain',
    summary: `${slug} it was.`,
    where: null,
    evidence: [],
    fixes: [],
    ...more
  };
}

export function verdict(run = '20260101-000000-000-1'): Verdict {
  return {
    headline:
      "HF101 cgroup-oom: Killed by the kernel at its container's memory limit (host-leak), " +
      'at cell [2], line 3',
    run: { id: run, command: ['python'], started: '2026-01-01T00:00:00Z', ended: null },
    outcome: 'died',
    end: finding('HF101', 'cgroup-oom', {
      evidence: [{ source: 'kernel log', text: 'Killed process 7' }]
    }),
    root: finding('HF110', 'host-leak', {
      where: {
        file: 'cell [2]',
        line: 3,
        function: 'train',
        text: '<b>keep</b>.append(x)'
      },
      fixes: [{ text: 'Keep less.', code: 'lru_cache(maxsize=8)' }]
    }),
    python_stack: [],
    memory: {
      peak_bytes: 512 * MIB,
      limit_bytes: 512 * MIB,
      limit_name: 'container limit',
      top_sites: [],
      curve: curve(512, 100, 512, 1)
    },
    missing: []
  };
}
