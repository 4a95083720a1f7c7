"""All pairs of a few thousand rows would not fit; the guard says so before the kernel kills."""
# zoo end: guard-refused
# zoo root: dataset-in-ram
# zoo memory: 320M
# zoo needs: numpy
# zoo environment: HOLDFAST_GUARD=on

import numpy as np


def distances(rows):
    squares = (rows**2).sum(axis=1)
    return squares[:, None] + squares - 2 * rows @ rows.T  # guilty


rows = np.random.default_rng(0).random((5200, 8))
print("rows", len(rows), flush=True)
print("nearest", distances(rows).argmin())
