"""Two copies of an OpenMP runtime; the second notices the first and gives up."""
# zoo end: openmp-duplicate
# zoo native: openmp.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/openmp.so")
lib.start_second_runtime()  # guilty
