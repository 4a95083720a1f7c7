"""Twelve pieces of data learned one after the other."""

import numpy
from sklearn.linear_model import SGDClassifier

model = SGDClassifier()
for piece in range(12):
    model.partial_fit(numpy.eye(4) * (piece + 1), [0, 1, 0, 1], classes=[0, 1])
