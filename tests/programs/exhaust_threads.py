"""Starts threads until there are no more to be had, after so many seconds each."""

import sys
import threading
import time

gate = threading.Event()
while True:
    threading.Thread(target=gate.wait, daemon=True).start()
    time.sleep(float(sys.argv[1]))
