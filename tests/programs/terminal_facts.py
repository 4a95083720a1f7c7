"""Prints what it knows of its terminal, again when the window changes, until a line comes."""

import os
import select
import signal
import sys


def tell(*_):
    size = os.get_terminal_size()
    print(f"window {size.lines}x{size.columns}", flush=True)


signal.signal(signal.SIGWINCH, tell)
print("terminals", *(os.isatty(descriptor) for descriptor in (0, 1, 2)))
print("foreground", os.tcgetpgrp(0) == os.getpgrp())
tell()
# In short waits: else a signal that comes just before a long read would show only at its end.
while not select.select([sys.stdin], [], [], 0.05)[0]:
    pass
sys.stdin.readline()
