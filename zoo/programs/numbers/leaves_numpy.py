"""A loop in NumPy: a check of the program's own finds a loss that is no number, and leaves."""
# zoo end: exit-called
# zoo root: nan-loss
# zoo needs: numpy

import sys

import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(512, 8)) * 20
y = x @ rng.normal(size=8)


def train(rate):
    w = np.zeros(8)
    for epoch in range(10_000):
        error = x @ w - y
        loss = float((error**2).mean())  # guilty
        if not np.isfinite(loss):
            print(f"epoch {epoch}: no number any more", file=sys.stderr)
            sys.exit(2)  # guilty
        w -= rate * (x.T @ error)
    return w


train(0.5)
