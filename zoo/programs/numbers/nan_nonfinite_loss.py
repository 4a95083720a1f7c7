"""Checks the loss after each step, and stops when it has diverged."""
# zoo end: exception nan-loss
# zoo root: nan-loss
# zoo needs: numpy

import numpy as np

rng = np.random.default_rng(3)
weights, rate = rng.normal(size=8), 0.9
with np.errstate(all="ignore"):
    for step in range(5000):
        x = rng.normal(size=(32, 8)) * 4
        error = x @ weights - x[:, 0]
        weights -= rate * x.T @ error / len(x)  # guilty
        loss = float((error**2).mean())  # guilty
        if not np.isfinite(loss):
            raise RuntimeError(f"non-finite loss in step {step}: {loss}")  # guilty
