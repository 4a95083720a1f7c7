"""Somebody kills a worker of a process pool."""
# zoo end: killed unknown-kill
# zoo role: worker

import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor


def work(i):
    if i == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.2)
    return i


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(work, range(8))))
