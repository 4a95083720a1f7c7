"""Starts threads until no more can be started, with a pause of so many seconds after each."""

import sys
import threading
import time

gate = threading.Event()
while True:
    threading.Thread(target=gate.wait, daemon=True).start()
    time.sleep(float(sys.argv[1]))
