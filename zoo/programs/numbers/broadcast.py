"""Predictions and targets of different lengths are subtracted."""
# zoo end: shape-mismatch
# zoo needs: numpy

import numpy as np


def mse(prediction, target):
    return ((prediction - target) ** 2).mean()  # guilty


mse(np.zeros(100), np.zeros(64))
