"""Allocates a cache of zeros far larger than the container and fills it."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 300M
# zoo needs: numpy

import numpy as np


def fill():
    cache = np.zeros((4000, 50_000), dtype=np.float64)  # guilty
    for i in range(len(cache)):
        cache[i] = i
    return cache


fill()
