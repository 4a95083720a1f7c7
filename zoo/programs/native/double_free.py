"""An extension frees the same block twice."""
# zoo end: heap-corruption
# zoo native: buffers.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")
lib.free_twice()  # guilty
