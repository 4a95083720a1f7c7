"""An extension frees a pointer into the middle of a block."""
# zoo end: heap-corruption
# zoo native: buffers.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")
lib.free_inside()  # guilty
