"""Waits for a child to end before it reads the child's output; the pipe between them is full."""
# zoo end: killed
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import os
import subprocess
import sys


def convert():
    child = subprocess.Popen(
        [sys.executable, "-c", "for i in range(100_000): print('frame', i)"],
        stdout=subprocess.PIPE,
    )
    child.wait()  # guilty
    return child.stdout.read()


open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
convert()
