"""Each worker of a pool keeps every block it ever read in a module's dictionary."""
# zoo end: worker-oom
# zoo root: host-leak
# zoo role: worker
# zoo memory: 400M
# zoo needs: numpy

import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

CACHE = {}


def load_block(number):
    if number not in CACHE:
        CACHE[number] = np.random.default_rng(number).normal(size=(3000, 30))  # guilty
    return CACHE[number]


def score(number):
    time.sleep(0.02)
    return float(load_block(number).std())


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        for start in range(0, 5000, 10):
            print(start, sum(pool.map(score, range(start, start + 10))), flush=True)
