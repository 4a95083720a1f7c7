"""Caches fill and are emptied at the end of every epoch."""
# zoo end: clean-exit
# zoo memory: 500M
# zoo needs: numpy

import time

import numpy as np

for epoch in range(6):
    cache = []
    for step in range(40):
        cache.append(np.random.rand(256, 1024))
        time.sleep(0.01)
