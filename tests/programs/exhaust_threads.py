"""Starts threads until there are no more to be had."""

import threading

gate = threading.Event()
while True:
    threading.Thread(target=gate.wait, daemon=True).start()
