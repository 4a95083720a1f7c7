"""Two threads free the same table of a library without a lock."""
# zoo end: heap-corruption segfault native-race
# zoo root: native-race heap-corruption segfault
# zoo native: threads.cc

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/threads.so")
lib.race(10_000_000)
