"""An extension linked to NCCL, which is not there."""
# zoo end: cuda-library-missing
# zoo before: echo 'int ncclInit(void) {{ return 0; }}' | cc -shared -fPIC -x c - -Wl,-soname,libnccl.so.9 -o libnccl.so.9 && echo 'int ncclInit(void); int start(void) {{ return ncclInit(); }}' | cc -shared -fPIC -x c - -L. -l:libnccl.so.9 -o ext.so && rm libnccl.so.9

import ctypes

ctypes.CDLL("./ext.so")  # guilty
