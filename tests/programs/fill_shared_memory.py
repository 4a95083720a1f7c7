"""Touches more shared memory than there is: a bus error."""

from multiprocessing import shared_memory

block = shared_memory.SharedMemory(create=True, size=64 << 20)
block.buf[:] = b"x" * len(block.buf)
