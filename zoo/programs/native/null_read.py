"""A ctypes call follows a null pointer."""
# zoo end: segfault

import ctypes


def peek(address):
    return ctypes.string_at(address)  # guilty


print(peek(0))
