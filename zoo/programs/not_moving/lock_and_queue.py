"""The loop waits for a batch while it keeps the lock that the feeder needs to make one."""
# zoo end: killed
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import os
import queue
import threading

batches = queue.Queue()
lock = threading.Lock()


def feed():
    for number in range(1000):
        with lock:  # guilty
            batches.put([number] * 8)


open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
with lock:
    threading.Thread(target=feed, daemon=True).start()
    batch = batches.get()  # guilty
