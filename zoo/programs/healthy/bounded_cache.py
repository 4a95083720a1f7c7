"""A cache with a bound fills up and stays."""
# zoo end: clean-exit
# zoo memory: 300M
# zoo needs: numpy

import functools
import time

import numpy as np


@functools.lru_cache(maxsize=100)
def features(key):
    return np.full(100_000, key, dtype=float)


for step in range(600):
    features(step)
    time.sleep(0.002)
