"""A wheel built for a newer CPU."""
# zoo end: illegal-instruction
# zoo native: buffers.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")
lib.illegal()  # guilty
