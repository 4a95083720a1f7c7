"""A memory-mapped output array on a full disk: the store itself is the SIGBUS."""
# zoo end: disk-full-mapping shm-full
# zoo disk: 8M
# zoo needs: numpy

import os

import numpy as np

path = os.path.join(os.environ["ZOO_DIR"], "disk", "out.dat")
out = np.memmap(path, dtype="float32", mode="w+", shape=(16, 1 << 20))
for i in range(16):
    out[i] = i  # guilty
