"""Forked workers read a list of Python objects; counting references copies the pages."""
# zoo end: worker-oom cgroup-oom
# zoo root: worker-copies worker-oom
# zoo role: main|worker
# zoo memory: 360M

import multiprocessing
import time

items = [str(i) * 3 for i in range(1_800_000)]


def scan(_):
    total = 0
    for _ in range(1000):
        for item in items:
            total += len(item)
        time.sleep(0.2)
    return total


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(4) as pool:
        print(list(pool.map(scan, range(4))))
