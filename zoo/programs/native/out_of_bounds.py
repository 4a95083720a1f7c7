"""A native sum is told that the array is a million times longer."""
# zoo end: segfault
# zoo native: buffers.c
# zoo needs: numpy

import ctypes
import os

import numpy as np

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")
lib.sum.argtypes = [ctypes.c_void_p, ctypes.c_long]


def total(values):
    return lib.sum(values.ctypes.data, values.size * 100_000)  # guilty


print(total(np.ones(1000, dtype=np.int32)))
