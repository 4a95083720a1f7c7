"""A worker crashes, the parent starts another one and finishes."""
# zoo end: clean-exit
# zoo also: segfault

import ctypes
import multiprocessing


def work(bad):
    if bad:
        ctypes.string_at(0)


if __name__ == "__main__":
    for bad in (True, False):
        process = multiprocessing.Process(target=work, args=(bad,))
        process.start()
        process.join()
