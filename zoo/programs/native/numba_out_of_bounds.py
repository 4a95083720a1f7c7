"""A compiled numba kernel writes far outside its array."""
# zoo end: segfault
# zoo needs: numba numpy

import numpy as np
from numba import njit


@njit
def scatter(out, index):
    out[index] = 1.0


out = np.zeros(10)
scatter(out, 1)
scatter(out, 1 << 40)  # guilty
