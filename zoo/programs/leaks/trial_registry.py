"""A search; every trial enters itself into a table of its class."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 384M
# zoo needs: numpy

import itertools
import json
import random

import numpy as np


class Trial:
    """One configuration of the search. Trials can be looked up by name from the report."""

    _by_name = {}
    _ids = itertools.count()

    def __init__(self, **params):
        self.params = params
        self.name = f"trial-{next(Trial._ids):05d}"
        self.score = None
        Trial._by_name[self.name] = self  # guilty
        self.reservoir = self._make_reservoir(params["units"], params["radius"])

    @staticmethod
    def _make_reservoir(units, radius):
        w = np.random.default_rng(units).normal(size=(units, units))  # guilty
        w *= radius / np.sqrt(units)  # guilty
        return w

    def run(self, series):
        state, hits = np.zeros(len(self.reservoir)), 0.0
        for value in series:
            state = np.tanh(self.reservoir @ state + value)
            hits += abs(state.mean() - value)
        self.score = hits / len(series)
        return self.score


def search(n_trials, series):
    best = (float("inf"), None)
    for k in range(n_trials):
        trial = Trial(units=random.choice([640, 700, 720]), radius=random.uniform(0.5, 1.2))
        score = trial.run(series)
        if score < best[0]:
            best = (score, trial.name)
        if k % 10 == 0:
            print(json.dumps({"k": k, "best": best}), flush=True)
    return best


random.seed(4)
series = np.sin(np.linspace(0, 9, 40))
print("winner", search(1500, series))
