"""A user's process limit (ulimit -u) refuses the next thread."""
# zoo end: thread-limit
# zoo limits: -u 60
# zoo user: nobody

import threading
import time

started = []
for _ in range(100):
    thread = threading.Thread(target=time.sleep, args=(30,), daemon=True)
    thread.start()  # guilty
    started.append(thread)
