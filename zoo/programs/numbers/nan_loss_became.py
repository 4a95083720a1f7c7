"""Looks at the loss every ten steps."""
# zoo end: exception nan-loss
# zoo root: nan-loss
# zoo needs: numpy

import numpy as np

rng = np.random.default_rng(4)
weights, rate = rng.normal(size=8), 0.9
with np.errstate(all="ignore"):
    for step in range(5000):
        x = rng.normal(size=(32, 8)) * 4
        error = x @ weights - x[:, 0]  # guilty
        weights -= rate * x.T @ error / len(x)  # guilty
        loss = float((error**2).mean())  # guilty
        if step % 10 == 9 and loss != loss:
            raise RuntimeError(f"loss became NaN before step {step}")  # guilty
