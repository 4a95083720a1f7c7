"""An old Intel OpenMP came first, and an extension that GCC built takes half of its calls from it
and half from GNU's runtime."""
# zoo end: segfault
# zoo root: runtime-clash
# zoo needs: intel-openmp==2019.0
# zoo tools: gcc
# zoo before: gcc -fopenmp -g -O1 -shared -fPIC {zoo}/native/sum_in_tasks.c -o sum.so

import ctypes
import os
import sys


class Features:
    def __init__(self):
        self.library = ctypes.CDLL(os.environ["ZOO_DIR"] + "/sum.so")
        self.library.sum_of_squares.restype = ctypes.c_double

    def energy(self, signal):
        return self.library.sum_of_squares(signal, len(signal))  # guilty


ctypes.CDLL(sys.prefix + "/lib/libiomp5.so", ctypes.RTLD_GLOBAL)
features = Features()
signal = (ctypes.c_double * 50000)(*range(50000))
for _ in range(200):  # a race: not every call meets it
    print(features.energy(signal))
