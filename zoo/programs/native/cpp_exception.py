"""A C++ exception leaves an extension without a handler."""
# zoo end: native-abort
# zoo native: throw.cc

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/throw.so")


def search():
    lib.give_up()  # guilty


search()
