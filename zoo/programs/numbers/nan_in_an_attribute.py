"""Weights become NaN without a word, in NumPy; what saves them checks an attribute of its argument."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: numpy

import numpy as np


class Centres:
    def __init__(self, count: int) -> None:
        self.places = np.zeros((count, 2))
        self.members = np.zeros(count)

    def learn(self, points: np.ndarray) -> None:
        near = ((points[:, None] - self.places[None]) ** 2).sum(-1).argmin(1)
        for one in range(len(self.places)):
            mine = points[near == one]
            self.members[one] = len(mine)
            self.places[one] = mine.sum(0) / len(mine)  # guilty


def save(centres: Centres, name: str) -> None:
    assert np.isfinite(centres.places).all(), "these cannot be drawn"  # guilty
    np.save(name, centres.places)


np.seterr(all="ignore")
found = Centres(5)
for number in range(40):
    found.learn(np.random.default_rng(number).normal(size=(300, 2)))
save(found, "places.npy")
