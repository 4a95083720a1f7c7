"""lru_cache without a bound in front of a feature function."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 400M
# zoo needs: numpy

import functools
import time

import numpy as np


@functools.lru_cache(maxsize=None)
def spectrum(seed):
    signal = np.random.default_rng(seed).normal(size=65536)
    return np.abs(np.fft.rfft(signal))  # guilty


def score(i):
    return float(spectrum(i).max())


best = 0.0
for i in range(1_000_000):
    best = max(best, score(i))
    time.sleep(0.005)
