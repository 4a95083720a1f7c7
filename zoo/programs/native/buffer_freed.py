"""An array made over memory that its owner has given back."""
# zoo end: segfault
# zoo needs: numpy

import mmap
import ctypes

import numpy as np

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
address = libc.mmap(None, 1 << 20, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
view = np.ctypeslib.as_array((ctypes.c_float * (1 << 18)).from_address(address))
libc.munmap(address, 1 << 20)


def normalise(values):
    values -= values.mean()  # guilty
    return values


print(normalise(view)[:3])
