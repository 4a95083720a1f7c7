"""A thread that feeds a queue dies of a row; the loop sleeps a little at each step, then waits."""
# zoo end: killed
# zoo root: exception
# zoo outcome: stuck
# zoo then: sleep 14; kill -TERM $PID

import os
import queue
import threading
import time
from pathlib import Path

ready = queue.Queue(4)


def feed(rows):
    for row in rows:
        ready.put(float(row))  # guilty
    ready.put(None)


rows = [str(number) for number in range(200)]
rows[150] = "n/a"
threading.Thread(target=feed, args=(rows,), daemon=True).start()
total = 0.0
while (number := ready.get()) is not None:
    total += number
    time.sleep(0.02)
    if number == 145:
        Path(os.environ["ZOO_DIR"], "ready").write_text(str(os.getpid()))
print(total)
