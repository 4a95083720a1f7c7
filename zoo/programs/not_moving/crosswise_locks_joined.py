"""Two threads hold each other up, and the main thread waits for both to end."""
# zoo end: killed
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import os
import threading
import time

weights, statistics = threading.Lock(), threading.Lock()


def update():
    with weights:
        time.sleep(0.5)
        with statistics:  # guilty
            pass


def report():
    with statistics:
        time.sleep(0.5)
        with weights:  # guilty
            pass


threads = [threading.Thread(target=update), threading.Thread(target=report)]
for thread in threads:
    thread.start()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
for thread in threads:
    thread.join()
