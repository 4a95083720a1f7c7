"""Another job rewrites a memory-mapped file while it is read."""
# zoo end: mapped-file-gone
# zoo needs: numpy

import os

import numpy as np

np.ones(4_000_000).tofile("features.bin")
features = np.memmap("features.bin", dtype="float64", mode="r")


def mean():
    return features[2_000_000:].mean()  # guilty


mean()
os.truncate("features.bin", 4096)
mean()
