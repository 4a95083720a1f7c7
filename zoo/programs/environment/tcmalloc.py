"""A preloaded allocator is handed a block of another one."""
# zoo end: allocator-clash
# zoo native: libtcmalloc.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/libtcmalloc.so")
lib.free_foreign(1234)  # guilty
