"""An extension calls into Python without holding its lock."""
# zoo end: fatal-python-error segfault

import ctypes

api = ctypes.CDLL(None)
api.PyList_New.restype = ctypes.c_void_p
api.PyThreadState_Get()
api.PyEval_SaveThread()
api.PyThreadState_Get()  # guilty
