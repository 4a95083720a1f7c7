"""Catches a MemoryError and prints alarming text, but ends well."""

import sys

try:
    bytearray(1 << 62)
except (MemoryError, OverflowError):
    print("MemoryError: caught, going on with a smaller batch", file=sys.stderr)
print("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", file=sys.stderr)
print("Segmentation fault (core dumped)", file=sys.stderr)
print("Killed", file=sys.stderr)
