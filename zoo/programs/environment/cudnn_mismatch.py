"""The cuDNN that was found is older than the one compiled against."""
# zoo end: cuda-library-mismatch
# zoo native: complaints.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/complaints.so")
lib.check_cudnn_version()  # guilty
