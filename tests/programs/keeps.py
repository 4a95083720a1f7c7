"""Keeps what it makes in a container of the chosen kind, then kills itself."""

import collections
import functools
import os
import signal
import sys
import time

WAY = sys.argv[1]
STEPS, SIZE = 160, 1_000_000
registry = {}


class Trainer:
    log = []  # noqa: RUF012 - that is the leak

    def __init__(self):
        self.history = []

    def step(self, part):
        if WAY == "attribute":
            self.history.append(part)  # mark: attribute
        elif WAY == "class":
            Trainer.log.append(part)  # mark: class


@functools.lru_cache(maxsize=None)  # noqa: UP033 - 3.8 has no functools.cache
def patch(number):
    return bytes([number % 255 + 1]) * SIZE


def recorder():
    seen = []

    def record(part):
        seen.append(part)  # mark: closure

    return record


record = recorder()


def counter(part):
    return lambda: len(part)


def train():
    trainer = Trainer()
    kept = []
    logs = {"loss": [], "rate": []}
    recent = collections.deque()
    deferred = []
    clicks = collections.defaultdict(list)
    for step in range(STEPS):
        part = bytes([step % 255 + 1]) * SIZE
        trainer.step(part)
        if WAY == "local":
            kept.append(part)  # mark: local
        elif WAY == "global":
            registry[step] = part  # mark: global
        elif WAY == "nested":
            logs["loss"].append(part)  # mark: nested
        elif WAY == "deque":
            recent.append(part)  # mark: deque
        elif WAY == "cells":
            deferred.append(counter(part))  # mark: cells
        elif WAY == "uneven":
            clicks[step if step < 70 else 0].append(part)  # mark: uneven
        elif WAY == "closure":
            record(part)
        elif WAY == "cache":
            patch(step)
        elif WAY == "nothing":
            del part
        time.sleep(0.02)


train()
os.kill(os.getpid(), signal.SIGKILL)
