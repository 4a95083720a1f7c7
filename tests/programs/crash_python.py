"""Crashes: crash_python.py KIND [main|thread] [none|faulthandler|own]."""

import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time

NUMBERS = {
    "read-null": signal.SIGSEGV,
    "abort": signal.SIGABRT,
    "raise-BUS": signal.SIGBUS,
    "raise-ILL": signal.SIGILL,
    "raise-FPE": signal.SIGFPE,
    "deep": signal.SIGSEGV,
}


def handler(number, frame):
    print("handled", number, flush=True)
    os._exit(7)


class Nested:
    """A comparison that recurses in C, far below any check of Python's."""

    def __init__(self):
        self.comparison = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)
        )(self.compare)
        self.libc = ctypes.CDLL(None)

    def compare(self, left, right):
        pair = (ctypes.c_int * 2)(1, 2)
        self.libc.qsort(pair, 2, ctypes.sizeof(ctypes.c_int), self.comparison)
        return 0


def crash_here(kind):
    if kind == "read-null":
        ctypes.string_at(0)
    elif kind == "abort":
        os.abort()
    elif kind == "deep":
        sys.setrecursionlimit(10**7)
        Nested().compare(None, None)
    else:
        signal.pthread_kill(threading.get_ident(), NUMBERS[kind])


def main():
    kind, where, how = [*sys.argv[1:], "main", "none"][:3]
    if how == "faulthandler":
        faulthandler.enable()
    elif how == "own":
        signal.signal(NUMBERS[kind], handler)
        assert signal.getsignal(NUMBERS[kind]) is handler
    if where == "thread":
        thread = threading.Thread(target=crash_here, args=(kind,), name="worker")
        thread.start()
        thread.join()
    else:
        crash_here(kind)
    time.sleep(0.1)  # Python's handlers run on the main thread, later
    print("went on", flush=True)


main()
