"""A package brings an old Intel OpenMP for everybody; an extension built for LLVM's starts its
tasks in the old one, and what that lacks is done by the new one, which knows nothing of them."""
# zoo end: native-abort
# zoo root: runtime-clash
# zoo needs: intel-openmp==2019.0
# zoo tools: clang libomp.so.5
# zoo before: clang -fopenmp -g -O1 -fPIC -c {zoo}/native/sum_in_tasks.c -o sum.o && cc -shared sum.o -o sum.so -l:libomp.so.5

import ctypes
import os
import sys

# As `import mkl` does it: what comes later shall find it.
ctypes.CDLL(sys.prefix + "/lib/libiomp5.so", ctypes.RTLD_GLOBAL)
features = ctypes.CDLL(os.environ["ZOO_DIR"] + "/sum.so")
features.sum_of_squares.restype = ctypes.c_double

values = (ctypes.c_double * 20000)(*range(20000))
for epoch in range(3):
    print(epoch, features.sum_of_squares(values, len(values)))  # guilty
