"""The crash happens in a thread of the pool, not in the main thread."""
# zoo end: segfault

import ctypes
import threading
import time


def decode():
    time.sleep(0.2)
    ctypes.memset(0, 1, 8)  # guilty


thread = threading.Thread(target=decode, name="decoder")
thread.start()
while True:
    time.sleep(0.05)
