"""cuDNN's own loader gives up with a message on stderr and an abort."""
# zoo end: cuda-library-missing
# zoo native: complaints.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/complaints.so")
lib.load_cudnn()  # guilty
