"""A feature function behind an unbounded cache, called with ever new arguments."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 256M
# zoo needs: numpy

import functools
import time

import numpy as np


@functools.lru_cache(maxsize=None)
def features(key):
    rng = np.random.default_rng(key)
    return rng.standard_normal(100_000)  # guilty


total = 0.0
for step in range(100_000):
    total += features(step).mean()
    time.sleep(0.01)
