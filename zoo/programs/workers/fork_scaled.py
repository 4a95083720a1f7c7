"""Grid over learning rates: one process each, the table is inherited by fork and costs nothing."""
# zoo end: worker-oom cgroup-oom
# zoo root: worker-copies worker-oom
# zoo role: main|worker
# zoo memory: 640M
# zoo needs: numpy

import multiprocessing as mp
import sys
import time

import numpy as np

rng = np.random.default_rng(0)
table = rng.random((150_000, 120))  # 144 MB, shared with the children
target = table[:, 0] * 3 - table[:, 7]


def train(rate, start, results):
    start.wait()
    scaled = (table - table.mean(axis=0)) / 0.29  # guilty
    w = np.zeros(table.shape[1])
    for step in range(20):
        rows = slice(step * 1000, step * 1000 + 1000)
        error = scaled[rows] @ w - target[rows]
        w -= rate * scaled[rows].T @ error / 1000
        time.sleep(0.25)
    results.put((rate, float((error**2).mean())))


if __name__ == "__main__":
    ctx = mp.get_context("fork")
    start, results = ctx.Event(), ctx.Queue()
    jobs = [
        ctx.Process(target=train, args=(rate, start, results))
        for rate in (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
    ]
    for job in jobs:
        job.start()
    start.set()
    for job in jobs:
        job.join()
    failed = [job.name for job in jobs if job.exitcode]
    if failed:
        sys.exit(f"workers failed: {failed}")
    print(sorted(results.get() for _ in jobs))
