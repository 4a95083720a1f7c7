"""numpy's open_memmap on a disk that is too small."""
# zoo end: disk-full-mapping shm-full
# zoo disk: 10M
# zoo needs: numpy

import os

import numpy as np


def fill(target):
    for row in range(len(target)):
        target[row, :] = np.random.rand(target.shape[1])  # guilty


path = os.path.join(os.environ["ZOO_DIR"], "disk", "features.npy")
fill(np.lib.format.open_memmap(path, mode="w+", dtype="float64", shape=(64, 65536)))
