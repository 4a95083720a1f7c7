"""A preloaded allocator is handed a block of another one."""
# zoo end: allocator-clash
# zoo native: complaints.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/complaints.so")
lib.free_foreign(1234)  # guilty
