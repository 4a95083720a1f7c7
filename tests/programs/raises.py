"""Raises an exception, in its own code or below it in the standard library."""

import statistics
import sys


def usual_loss(losses):
    return statistics.mean(losses)  # the standard library raises below this line


def train():
    raise ValueError("loss is not what it was")  # this line raises


if sys.argv[1] == "own":
    train()
else:
    usual_loss([])
