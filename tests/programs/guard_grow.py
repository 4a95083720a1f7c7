"""Grows beyond its limit in the named way, again and again, and survives each time.

usage: guard_grow.py WAY [TIMES]
"""

import ctypes
import gc
import sys

MIB = 1 << 20


def blocks():
    return [bytearray(b"x") * (8 * MIB) for _ in range(1 << 30)]


def objects():
    return [str(i) * 3 for i in range(1 << 40)]


def one_huge():
    return bytearray(b"x") * (1 << 40)


def main() -> None:
    way, times = globals()[sys.argv[1]], int((*sys.argv, "1")[2])
    state = {"kept": list(range(1000))}
    for _ in range(times):
        try:
            way()
        except MemoryError:
            gc.collect()
            ctypes.CDLL(None).malloc_trim(0)
            assert state == {"kept": list(range(1000))}
            print("survived", flush=True)
    if sys.argv[3:] == ["raise"]:
        way()


if __name__ == "__main__":
    main()
