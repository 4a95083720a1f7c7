"""Millions of small tuples in a dictionary that nobody empties."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 200M

import time

seen = {}


def remember(step):
    for i in range(2000):
        seen[step, i] = (step * 2000 + i, str(i))  # guilty


for step in range(100_000):
    remember(step)
    time.sleep(0.012)
