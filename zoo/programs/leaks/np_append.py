"""An array that is grown with np.append in a loop."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 400M
# zoo needs: numpy

import time

import numpy as np


def collect():
    features = np.empty(0)
    while True:
        batch = np.random.rand(100_000)
        features = np.append(features, batch)  # guilty
        time.sleep(0.02)


collect()
