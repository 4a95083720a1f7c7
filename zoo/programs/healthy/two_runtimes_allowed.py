"""Two copies of Intel's OpenMP in one process, which was told to put up with it, and does."""
# zoo end: clean-exit
# zoo needs: intel-openmp==2019.0
# zoo environment: KMP_DUPLICATE_LIB_OK=TRUE

import ctypes
import os
import shutil
import sys

runtime = sys.prefix + "/lib/libiomp5.so"
vendored = os.environ["ZOO_DIR"] + "/libiomp5.so"
shutil.copy(runtime, vendored)

for library in (runtime, vendored):
    print("threads:", ctypes.CDLL(library).omp_get_max_threads())
