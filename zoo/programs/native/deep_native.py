"""Native recursion without an end."""
# zoo end: stack-overflow
# zoo native: buffers.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")


def walk():
    return lib.deep(1 << 30)  # guilty


walk()
