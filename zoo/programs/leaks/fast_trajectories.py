"""A collector plays faster than anybody can look: every path is kept, and two seconds fill the limit."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 700M
# zoo needs: numpy

import numpy as np


class Collector:
    def __init__(self):
        self.paths = []
        self.rng = np.random.default_rng(0)

    def play(self):
        states = self.rng.random((200, 84), dtype=np.float32)  # guilty
        return {"states": states, "reward": float(states.sum())}

    def collect(self):
        while True:
            self.paths.append(self.play())  # guilty


Collector().collect()
