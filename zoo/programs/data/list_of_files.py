"""Loads every sample file into a list before training starts."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 300M
# zoo needs: numpy
# zoo before: {python} {zoo}/makers/samples.py 20 500000

import glob

import numpy as np


def load_images(pattern):
    files = sorted(glob.glob(pattern)) * 20
    return [np.load(path) for path in files]  # guilty


samples = load_images("s*.npy")
print(len(samples))
