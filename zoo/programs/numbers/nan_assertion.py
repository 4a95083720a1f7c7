"""An assertion without words stops the run: the error of the fit is no longer a number."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: numpy

import numpy as np

rng = np.random.default_rng(0)
x, y = rng.normal(size=(256, 8)), rng.normal(size=256)
weights, rate = np.zeros(8), 0.1


def update():
    global weights
    with np.errstate(all="ignore"):
        error = y - x @ weights
        weights = weights + rate * x.T @ error
        mean = float((error**2).mean())  # guilty
    assert np.isfinite(mean)
    return mean


for epoch in range(2000):
    update()
