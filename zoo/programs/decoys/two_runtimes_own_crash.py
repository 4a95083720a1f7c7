"""Two OpenMP runtimes that get along, and a table with a hole: the crash is the extension's own,
in a thread that one of the runtimes started."""
# zoo end: segfault
# zoo needs: intel-openmp==2019.0
# zoo tools: clang libomp.so.5
# zoo environment: KMP_DUPLICATE_LIB_OK=TRUE
# zoo before: clang -fopenmp -g -O1 -fPIC -c {zoo}/native/sum_in_parallel.c -o rows.o && cc -shared rows.o -o rows.so -l:libomp.so.5

import ctypes
import os
import sys

intel = ctypes.CDLL(sys.prefix + "/lib/libiomp5.so")
intel.omp_get_max_threads()
library = ctypes.CDLL(os.environ["ZOO_DIR"] + "/rows.so")
library.sum_of_rows.restype = ctypes.c_double

Row = ctypes.c_double * 8
rows = [Row(*range(8)) for _ in range(1000)]
table = (ctypes.POINTER(ctypes.c_double) * 1000)()
for index, row in enumerate(rows):
    table[index] = ctypes.cast(row, ctypes.POINTER(ctypes.c_double))
print(library.sum_of_rows(table, 1000))
table[100] = None
print(library.sum_of_rows(table, 1000))  # guilty
