"""Prints `ready PID`, then waits for signals."""

import os
import signal
import sys
import time
from pathlib import Path

if len(sys.argv) > 1:
    Path("/proc/self/oom_score_adj").write_text(sys.argv[1])
signal.alarm(600)  # ends it if the test has failed
print("ready", os.getpid(), flush=True)
while True:
    time.sleep(0.05)
