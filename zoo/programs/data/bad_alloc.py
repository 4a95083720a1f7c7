"""C++ code asks for too much and nobody catches std::bad_alloc."""
# zoo end: alloc-refused
# zoo native: throw.cc

import ctypes
import os

lib = ctypes.CDLL(os.environ["ZOO_DIR"] + "/throw.so")


def build_index():
    lib.take_too_much()  # guilty


build_index()
