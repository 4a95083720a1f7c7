"""The thread that should fill a queue has died of an exception; the loop waits for ever."""
# zoo end: killed
# zoo root: exception lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import os
import queue
import threading

batches = queue.Queue(maxsize=2)


def produce():
    for number in range(20):
        batches.put({"number": number}["nummer" if number == 10 else "number"])  # guilty


threading.Thread(target=produce).start()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    batches.get()  # guilty
