"""One array of more than the machine has: refused at once."""
# zoo end: alloc-refused
# zoo needs: numpy

import numpy as np


def distances(points):
    return np.empty((points, points))  # guilty


distances(4_000_000)
