"""Counts interrupts until the third."""

import os
import signal
import time

count = 0


def interrupted(*_):
    global count
    count += 1
    os.write(1, b"interrupt %d\n" % count)


signal.signal(signal.SIGINT, interrupted)
print("ready", flush=True)
deadline = time.monotonic() + 120
while count < 3 and time.monotonic() < deadline:
    time.sleep(0.01)
print("that was all", flush=True)
