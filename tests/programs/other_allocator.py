"""Prints whose malloc it has, holds memory of that malloc, and is killed holding it."""

import ctypes
import os
import signal
from pathlib import Path

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
blocks = [libc.malloc(1 << 20) for _ in range(10)]
for block in blocks:
    libc.free(ctypes.c_void_p(block))
mapped = Path("/proc/self/maps").read_text()
print(
    os.environ["LD_PRELOAD"],
    "serves" if os.environ["LD_PRELOAD"] in mapped else "is not here",
    flush=True,
)
held = [bytearray(1 << 20) for _ in range(200)]  # holds
os.kill(os.getpid(), signal.SIGKILL)
