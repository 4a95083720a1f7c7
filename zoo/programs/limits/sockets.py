"""A crawler leaks connections until no descriptor is left."""
# zoo end: fd-limit
# zoo limits: -n 100

import socket
import time

kept = []
while True:
    kept.append(socket.socket())  # guilty
    time.sleep(0.002)
