"""A best score that starts at infinity is no reason to leave: the check is about something else."""
# zoo end: exit-called
# zoo needs: numpy

import sys

import numpy as np

rng = np.random.default_rng(0)


def train(budget):
    best = float("inf")
    spent = 0.0
    for epoch in range(1000):
        spent += float(rng.random())
        if spent > budget:
            print("the budget is spent", file=sys.stderr)
            sys.exit(3)  # guilty
    return best


train(50.0)
