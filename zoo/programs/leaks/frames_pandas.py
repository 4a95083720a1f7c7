"""Appends a frame per step and concatenates at the end, which never comes."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 400M
# zoo needs: pandas

import time

import numpy as np
import pandas as pd

frames = []


def measure(step):
    values = np.random.default_rng(step).random((2000, 50))
    return pd.DataFrame(values)  # guilty


for step in range(100_000):
    frames.append(measure(step))
    time.sleep(0.01)
