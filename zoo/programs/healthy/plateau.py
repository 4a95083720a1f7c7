"""Warms up, fills its caches almost to the limit, and finishes."""
# zoo end: clean-exit
# zoo memory: 300M
# zoo needs: numpy

import time

import numpy as np

cache = []
for step in range(200):
    if len(cache) < 40:
        cache.append(np.ones(640_000))
    x = np.random.rand(100_000)
    cache[step % len(cache)][:100_000] += x
    time.sleep(0.005)
