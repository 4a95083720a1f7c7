import { expect, test } from 'vitest';

import { headlineOf } from '../src/headline';

test.each([
  [
    "HF101 cgroup-oom: Killed at its container's limit (host-leak), at cell [2], line 3",
    "Killed at its container's limit",
    'cell [2], line 3'
  ],
  [
    'HF301 segfault: Probably: Crashed in native code, at a.py:3',
    'Probably: Crashed in native code',
    'a.py:3'
  ],
  [
    'HF108 map-count: Too many mappings (vm.max_map_count)',
    'Too many mappings (vm.max_map_count)',
    ''
  ],
  ['still running', 'still running', '']
])('%s', (line, what, where) => expect(headlineOf(line)).toEqual({ what, where }));
