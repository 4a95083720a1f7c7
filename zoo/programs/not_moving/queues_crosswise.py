"""Each of two threads waits for the other to say something first."""
# zoo end: killed
# zoo root: lock-deadlock loader-stall
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import os
import queue
import threading

to_reader, to_trainer = queue.Queue(), queue.Queue()


def read():
    while True:
        wanted = to_reader.get()  # guilty
        to_trainer.put(list(range(wanted)))


threading.Thread(target=read, daemon=True).start()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
for _ in range(10):
    batch = to_trainer.get()  # guilty
    to_reader.put(len(batch))
