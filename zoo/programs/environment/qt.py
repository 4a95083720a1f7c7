"""A window library on a machine without a display."""
# zoo end: no-display
# zoo native: complaints.c

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/complaints.so")
lib.open_window()  # guilty
