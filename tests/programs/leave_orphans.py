"""Leaves 50 orphans that end at once; prints `ready PID` and waits for its stdin to close."""

import os
import sys

for _ in range(50):
    between = os.fork()
    if between == 0:
        if os.fork() > 0:
            os._exit(0)
        os._exit(7)
    os.waitpid(between, 0)
print("ready", os.getpid(), flush=True)
sys.stdin.read()
