"""Quick rounds that print a line each, then a long evaluation in plain loops; somebody loses patience with it."""
# zoo end: killed
# zoo then: sleep 24; kill -TERM $PID

import os
import random
import time

random.seed(3)


def closest(point, centres):
    best, at = float("inf"), -1
    for i, centre in enumerate(centres):
        distance = (point - centre) ** 2
        if distance < best:
            best, at = distance, i
    return at


def settle(values, centres):
    moved = True
    while moved:
        moved = False
        for i, centre in enumerate(centres):
            mean = sum(values[i::10]) / len(values[i::10])
            moved = moved or abs(mean - centre) > 1e-6
            centres[i] = mean


centres = [float(i) for i in range(10)]
for round_ in range(30):
    values = [random.gauss(round_, 1) for _ in range(10_000)]
    settle(values, centres)
    time.sleep(0.1)
    print("round", round_, "first centre", round(centres[0], 3), flush=True)
    if round_ == 29:
        with open(os.environ["ZOO_DIR"] + "/ready", "w") as ready:
            ready.write(str(os.getpid()))
        counts = [0] * 10
        for _ in range(100_000_000):
            counts[closest(random.choice(values), centres)] += 1
