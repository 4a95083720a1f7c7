"""A worker of a process pool is stopped in the middle of a task."""
# zoo end: killed
# zoo root: loader-stall
# zoo role: worker
# zoo outcome: stuck
# zoo then: sleep 16; kill -TERM $PID

import concurrent.futures
import multiprocessing
import os
import signal


def transform(number):
    if number == 5:
        os.kill(os.getpid(), signal.SIGSTOP)  # guilty
    return number


def main():
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
        print(sum(pool.map(transform, range(16))))


main()
