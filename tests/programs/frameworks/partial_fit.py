"""Trains a classifier of scikit-learn piece by piece, a moment after its import."""

import time

import numpy
from sklearn.linear_model import SGDClassifier

# The agent stands in front of partial_fit at its first visit after the import. On a busy machine
# twelve short calls may be over by then.
end = time.monotonic() + 1
while time.monotonic() < end:
    list(range(100))

model = SGDClassifier()
for piece in range(12):
    model.partial_fit(numpy.eye(4) * (piece + 1), [0, 1, 0, 1], classes=[0, 1])
