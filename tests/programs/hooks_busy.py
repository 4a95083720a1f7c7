"""Allocates for a while, so that the agent is sure to get its turn. Imported by the others."""

import time


def work(seconds=0.4):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        [bytes(100_000) for _ in range(100)]


work()
