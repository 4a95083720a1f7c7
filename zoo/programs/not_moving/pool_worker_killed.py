"""A worker of a multiprocessing pool is killed; the pool starts another, but its task is lost."""
# zoo end: killed
# zoo root: killed unknown-kill
# zoo role: worker
# zoo outcome: stuck
# zoo also: loader-stall
# zoo then: sleep 10; kill -TERM $PID

import multiprocessing
import os
import signal
import time


def work(number):
    time.sleep(0.2)
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
        print(pool.map(work, range(8), chunksize=1))


main()
