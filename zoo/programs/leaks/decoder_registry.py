"""A beam search keeps every hypothesis in a registry of its class."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 200M

import os


class Hypothesis:
    alive = {}

    def __init__(self, number, tokens):
        self.tokens = tokens
        Hypothesis.alive[number] = self  # guilty

    def extend(self, number):
        return Hypothesis(number, self.tokens[:-1] + os.urandom(9_000))  # guilty


def decode(length):
    best = Hypothesis(0, bytes(20_000))
    for number in range(1, length):
        best = best.extend(number)
        best.tokens = best.tokens[-20_000:]  # guilty
        sum(best.tokens)


decode(10**9)
