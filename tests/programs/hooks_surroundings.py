"""Prints what a program can see of hooks: what they look like, and what tracers are shown."""

import inspect
import pickle
import sys
import threading
import warnings

import hooks_busy

files = set()


def tracer(frame, event, argument):
    files.add(frame.f_code.co_filename.rsplit("/", 1)[-1])
    return tracer


print(sys.exit, sys.exit.__module__, inspect.signature(sys.exit), sys.exit.__doc__)
print(sys.excepthook is sys.__excepthook__, threading.excepthook)
print(pickle.loads(pickle.dumps(sys.exit)) is sys.exit)
print([name for name in sys.modules if "holdfast" in name or name == "hooks"])
print(warnings.filters == list(warnings.filters), inspect.signature(warnings._showwarnmsg))
sys.settrace(tracer)
hooks_busy.work()
sys.settrace(None)
sys.setprofile(tracer)
hooks_busy.work()
sys.setprofile(None)
print(sorted(files))
warnings.warn("overflow encountered in loss", RuntimeWarning, stacklevel=1)
warnings.warn("not worth a word", UserWarning, stacklevel=1)
warnings.warn("overflow encountered in loss", RuntimeWarning, stacklevel=1)
