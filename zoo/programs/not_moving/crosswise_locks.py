"""Two threads take the same two locks, each in its own order."""
# zoo end: killed
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import os
import threading
import time

weights, statistics = threading.Lock(), threading.Lock()


def collect():
    while True:
        with statistics:
            time.sleep(0.01)
            with weights:  # guilty
                pass


def train():
    while True:
        with weights:
            time.sleep(0.01)
            with statistics:  # guilty
                pass


threading.Thread(target=collect, name="collect").start()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
train()
