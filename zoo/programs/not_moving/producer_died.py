"""The thread that fills a queue dies of an exception; the main thread waits for ever."""
# zoo end: killed unknown-kill
# zoo root: exception lock-deadlock loader-stall
# zoo outcome: stuck
# zoo then: sleep 14; kill -TERM $PID

import os
import queue
import threading

batches = queue.Queue(4)


def fill():
    for i in range(10):
        if i == 6:
            raise ValueError("bad record")  # guilty
        batches.put(i)


threading.Thread(target=fill).start()
for step in range(10):
    if step == 5:
        with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
            file.write(str(os.getpid()))
    batches.get()  # guilty
