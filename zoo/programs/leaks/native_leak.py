"""An extension that forgets to free its scratch memory on every call."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 200M

import ctypes
import time

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]


def filter_image():
    scratch = libc.malloc(300_000)  # guilty
    libc.memset(scratch, 1, 300_000)


while True:
    filter_image()
    time.sleep(0.005)
