"""Scores dialogues without the collector; a turn knows its dialogue, so none is ever freed."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 400M
# zoo needs: numpy

import gc

import numpy as np

gc.disable()  # guilty
generator = np.random.default_rng(5)
projection = generator.standard_normal((64, 2048)).astype(np.float32)


class Turn:
    def __init__(self, dialogue, words):
        self.dialogue = dialogue  # guilty
        self.vector = words @ projection  # guilty


class Dialogue:
    def __init__(self):
        self.turns = []

    def say(self, words):
        self.turns.append(Turn(self, words))  # guilty

    def agreement(self):
        return sum(
            float(one.vector @ other.vector)
            for one in self.turns
            for other in self.turns
            if one is not other
        )


total = 0.0
for number in range(1_000_000):
    dialogue = Dialogue()
    for _ in range(int(generator.integers(4, 9))):
        dialogue.say(generator.standard_normal(64, dtype=np.float32))
    total += dialogue.agreement()
    if number % 1000 == 0:
        print(number, total / (number + 1), flush=True)
