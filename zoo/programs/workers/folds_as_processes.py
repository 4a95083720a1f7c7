"""A process for each fold copies the table; the parent tells the first that was killed."""
# zoo end: worker-oom
# zoo root: worker-oom worker-copies dataset-in-ram
# zoo role: worker
# zoo memory: 500M
# zoo needs: numpy

import multiprocessing
import time

import numpy as np


def fit(table, fold):
    mine = np.array(table)  # guilty
    mine -= mine.mean(axis=0)
    time.sleep(3)
    print(fold, float(mine.std()), flush=True)


def check(workers):
    for number, worker in enumerate(workers):
        worker.join()
        if worker.exitcode != 0:
            raise RuntimeError(f"fold {number} ended with {worker.exitcode}")


if __name__ == "__main__":
    table = np.random.default_rng(0).random((400_000, 30), dtype=np.float32)  # guilty
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=fit, args=(table, fold)) for fold in range(10)]  # guilty
    for worker in workers:
        worker.start()
        time.sleep(0.2)
    check(workers)
