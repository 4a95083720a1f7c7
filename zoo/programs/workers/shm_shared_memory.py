"""multiprocessing.shared_memory in a /dev/shm that is too small: the first write is a SIGBUS."""
# zoo end: shm-full
# zoo shm: 8M

from multiprocessing import shared_memory

block = shared_memory.SharedMemory(create=True, size=64 << 20)
block.buf[:] = bytes(64 << 20)  # guilty
