"""A worker of a pool that keeps what each task made; its parent waits for the results."""

import concurrent.futures
import multiprocessing
import sys
import time

kept = []


def task(number):
    kept.append(bytearray(1 << 20))  # leaks: worker
    time.sleep(0.01)
    return number


if __name__ == "__main__":
    how = multiprocessing.get_context(sys.argv[1])
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=how) as pool:
        print(sum(pool.map(task, range(3_000))))
