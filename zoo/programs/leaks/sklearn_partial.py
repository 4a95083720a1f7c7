"""Incremental learning with partial_fit that stores each mini-batch "for a later refit"."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 400M
# zoo needs: sklearn

import numpy as np
from sklearn.linear_model import SGDClassifier

rng = np.random.default_rng(0)
model = SGDClassifier()
seen = []

for step in range(100_000):
    x = rng.standard_normal((500, 200))  # guilty
    y = (x[:, 0] > 0).astype(int)
    model.partial_fit(x, y, classes=[0, 1])
    seen.append(x)
