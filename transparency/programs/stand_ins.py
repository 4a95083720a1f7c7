"""Functions that the agent stands before, as values: pickled, copied, referred to weakly."""

import copy
import pickle
import sys
import threading
import time
import warnings
import weakref

grown = []
end = time.monotonic() + 0.5
while time.monotonic() < end:
    grown.append(bytearray(1_000_000))
    del grown[40:]

for function in (warnings._showwarnmsg, sys.exit, threading.excepthook):
    again = [pickle.loads(pickle.dumps(function, version)) for version in range(2, 5)]
    again += [pickle._loads(pickle._dumps(function)), copy.copy(function)]
    again += [copy.deepcopy({"it": [function]})["it"][0], weakref.ref(function)()]
    print(function.__name__, [one is function for one in again])
