"""Prints `ready PID`, then repeats each line it reads on stderr, and on stdout that it did."""

import os
import sys

print("ready", os.getpid(), flush=True)
for line in iter(sys.stdin.readline, ""):
    os.write(2, line.encode())
    print("done", flush=True)
