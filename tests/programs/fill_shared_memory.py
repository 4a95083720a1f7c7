"""Touches more shared memory than there is: a bus error. What it has taken stays taken."""

import mmap
from pathlib import Path

size = 64 << 20
with Path("/dev/shm/batches").open("w+b") as file:
    file.truncate(size)
    block = mmap.mmap(file.fileno(), size)
block[:] = b"x" * size
