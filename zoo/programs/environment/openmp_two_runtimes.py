"""An extension brings a copy of Intel's OpenMP, another is at work already and is noticed."""
# zoo end: openmp-duplicate
# zoo needs: intel-openmp==2019.0

import ctypes
import os
import shutil
import sys

runtime = sys.prefix + "/lib/libiomp5.so"
vendored = os.environ["ZOO_DIR"] + "/libiomp5.so"
shutil.copy(runtime, vendored)

solver = ctypes.CDLL(runtime)
print("threads of the solver:", solver.omp_get_max_threads())
features = ctypes.CDLL(vendored)
print("threads of the features:", features.omp_get_max_threads())  # guilty
