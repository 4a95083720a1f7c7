"""MKL finds none of its kernels and ends the process."""
# zoo end: mkl-broken
# zoo native: complaints.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/complaints.so")
lib.load_mkl()  # guilty
