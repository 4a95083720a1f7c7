"""The learning rate grows with every step; the weights are only looked at for the log's histogram."""
# zoo end: exception nan-loss
# zoo root: nan-loss
# zoo needs: numpy

import warnings

import numpy as np

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
hidden, out, rate = rng.normal(size=(12, 24)) * 0.2, rng.normal(size=24) * 0.2, 0.004
for step in range(2000):
    x = rng.normal(size=(16, 12))
    seen = np.maximum(x @ hidden, 0)
    error = seen @ out - x[:, 0] ** 2
    hidden -= rate * x.T @ ((error[:, None] * out) * (seen > 0)) / 16  # guilty
    out -= rate * seen.T @ error / 16  # guilty
    rate *= 1.02
    if step % 25 == 0:
        counts, edges = np.histogram(hidden, bins=12)  # guilty
        print(step, edges[-1] - edges[0], int(counts.argmax()))
