"""A worker is forked while a thread of its parent holds a lock, and wants that lock."""
# zoo end: killed
# zoo root: fork-deadlock
# zoo role: worker
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import multiprocessing
import os
import threading
import time

cache_lock = threading.Lock()


def refresh():
    with cache_lock:
        time.sleep(2)


def work(number):
    with cache_lock:  # guilty
        return number * number


def main():
    threading.Thread(target=refresh).start()
    time.sleep(0.2)
    worker = multiprocessing.get_context("fork").Process(target=work, args=(3,))
    worker.start()
    open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
    worker.join()


main()
