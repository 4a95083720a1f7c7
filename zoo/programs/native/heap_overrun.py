"""An extension writes past the end of its buffer; glibc notices at a later free."""
# zoo end: heap-corruption
# zoo native: buffers.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")


def augment():
    lib.overrun(16)  # guilty


augment()
