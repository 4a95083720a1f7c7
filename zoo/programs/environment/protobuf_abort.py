"""Two protobuf versions in one process."""
# zoo end: protobuf-clash
# zoo native: complaints.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/complaints.so")
lib.check_protobuf()  # guilty
