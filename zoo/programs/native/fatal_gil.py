"""ctypes lets go of the interpreter's lock, and the function it calls must not be without it."""
# zoo end: fatal-python-error segfault

import ctypes


def thread_state():
    api = ctypes.CDLL(None)
    return api.PyThreadState_Get()  # guilty


print(thread_state())
