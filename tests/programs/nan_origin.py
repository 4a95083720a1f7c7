"""A number stops being finite on the marked line; a separate function finds that, and raises."""

import inspect  # noqa: F401  loads dis, as every library does
import math
import sys

best = float("inf")
lowest_loss = float("inf")


def check(value):
    if not math.isfinite(value):
        raise RuntimeError("went astray")


def late():
    """The check stands above the line that made the number one round of the loop earlier."""
    best_loss, loss = float("inf"), 1.0
    for number in range(100):
        if not math.isfinite(loss):
            raise RuntimeError("went astray")
        best_loss = min(best_loss, loss)
        loss = math.exp(number) * 1e300 * 1e300 if number > 3 else 0.5  # mark: late


def train():
    best_loss = float("inf")
    for number in range(100):
        batch = [float(number)] * 4
        loss = sum(batch) * (1e308 if number > 3 else 1.0) * 10  # mark: train
        scaled = loss - loss
        check(scaled if scaled != scaled else loss)
        best_loss = min(best_loss, loss)


def wrong():
    """Begins with infinity, as a search does, and fails for another reason."""
    best_loss = float("inf")
    raise ValueError(f"no such optimizer: adm, {best_loss > 0}")


def opposite():
    """An array of infinities: adding them up would make NumPy warn."""
    import numpy

    errors = numpy.array([math.exp(700) * 1e300, -math.exp(700) * 1e300, 1.0])
    loss = float(errors[0])
    check(loss)


globals()[sys.argv[1]]()
