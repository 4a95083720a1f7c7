"""A worker of concurrent.futures crashes in native code."""
# zoo end: segfault
# zoo role: worker

import ctypes
from concurrent.futures import ProcessPoolExecutor


def decode(i):
    if i == 3:
        ctypes.string_at(8)  # guilty
    return i


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(decode, range(8))))
