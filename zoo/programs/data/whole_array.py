"""Builds the whole training set in one array that is larger than the container."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 256M
# zoo needs: numpy

import numpy as np


def load(samples):
    return np.ones((samples, 3, 224, 224), dtype=np.float32)  # guilty


images = load(600)
print(images.mean())
