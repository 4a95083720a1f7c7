"""Two processes take two locks in different order."""
# zoo end: killed unknown-kill
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 15; kill -TERM $PID

import multiprocessing
import os
import time


def transfer(first, second):
    with first:
        time.sleep(1)
        with second:
            return


if __name__ == "__main__":
    a, b = multiprocessing.Lock(), multiprocessing.Lock()
    child = multiprocessing.Process(target=transfer, args=(b, a))
    child.start()
    for name, text in (("child", child.pid), ("ready", os.getpid())):
        with open(os.path.join(os.environ["ZOO_DIR"], name), "w") as file:
            file.write(str(text))
    transfer(a, b)
