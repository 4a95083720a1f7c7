"""A view of a shared block is used after the block was given back."""
# zoo end: segfault

import ctypes
import mmap

libc = ctypes.CDLL(None)
block = mmap.mmap(-1, 1 << 20)
address = ctypes.addressof(ctypes.c_char.from_buffer(block))
libc.munmap(ctypes.c_void_p(address), 1 << 20)


def read():
    return ctypes.string_at(address, 16)  # guilty


read()
