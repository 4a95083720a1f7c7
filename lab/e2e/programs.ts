// Cells that die for a known reason.

/** Slow enough that a status bar can follow. */
export const LEAK = [
  `import os
import time

import numpy as np

history = []
print("kernel", os.getpid())`,
  `def train(step):
    activations = np.ones((1024, 1024))
    history.append(activations)   # "for plotting later"
    time.sleep(0.15)

for step in range(1000):
    train(step)`
];

export const SEGFAULT = [
  'answer = 42',
  'import ctypes\n\nctypes.string_at(0)',
  'print("never")'
];

/** Refused by a guard that is on, in 512 MiB. */
export const REFUSED = [
  'import numpy as np\n\ntrain = np.ones((30, 1 << 20))',
  'scaled = train * 2'
];
