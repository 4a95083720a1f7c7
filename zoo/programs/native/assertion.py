"""A native library's assertion fails."""
# zoo end: native-abort
# zoo native: buffers.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/buffers.so")
lib.give_up(b"rows == columns")  # guilty
