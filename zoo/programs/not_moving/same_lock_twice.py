"""A function that holds a lock calls another that takes it too."""
# zoo end: killed
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 9; kill -KILL $PID

import os
import threading

lock = threading.Lock()


def log(text):
    with lock:  # guilty
        print(text)


def save():
    with lock:
        log("saving")


open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
save()
