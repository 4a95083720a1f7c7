"""A native thread pool cannot start its threads: C++ throws, nobody catches."""
# zoo end: thread-limit
# zoo pids: 30
# zoo native: threads.cc

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/threads.so")
lib.start_threads(200)  # guilty
