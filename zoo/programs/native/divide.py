"""Integer division by zero in native code."""
# zoo end: arithmetic-trap
# zoo native: buffers.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")


def stride(width, step):
    return lib.divide(width, step)  # guilty


stride(640, 0)
