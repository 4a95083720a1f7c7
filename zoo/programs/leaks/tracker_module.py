"""A helper keeps the features of every batch for a report nobody asked for."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 500M
# zoo line: tracker.py
# zoo needs: numpy

import time

import numpy as np
import tracker

rng = np.random.default_rng(0)
weights = rng.normal(size=(512, 64))
track = tracker.Tracker()
while True:
    batch = rng.normal(size=(256, 512))
    out = batch @ weights
    track.update(batch, out)
    weights += 1e-6 * batch.T @ out
    time.sleep(0.01)
