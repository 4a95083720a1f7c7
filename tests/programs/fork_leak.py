"""Forks a worker that leaks until it is killed; then raises, or waits to be killed as well."""

import os
import sys
import time

worker = os.fork()
if worker == 0:
    kept = []
    while True:
        kept.append(bytearray(b"x") * (1 << 20))
_, status = os.waitpid(worker, 0)
if sys.argv[1] == "wait":
    print("ready", os.getpid(), flush=True)
    while True:
        time.sleep(0.05)
raise RuntimeError(f"worker {worker} ended with status {status}")
