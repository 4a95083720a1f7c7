"""One thread ends with an exception, another by sys.exit, and the program goes on."""

import sys
import threading

import hooks_busy


def fail():
    raise ValueError("in a thread")


def leave():
    sys.exit(5)


for target in fail, leave:
    thread = threading.Thread(target=target, name=target.__name__)
    thread.start()
    thread.join()
hooks_busy.work()
print("still here")
