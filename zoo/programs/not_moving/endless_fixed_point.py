"""A fixed point that is searched after each round; in a late round the iteration jumps between two values for ever."""
# zoo end: killed
# zoo root: no-progress
# zoo outcome: stuck
# zoo then: sleep 24; kill -TERM $PID

import os
import random
import time

random.seed(3)


def response(x, gain):
    return x + gain * (2.0 - x)


def settle(gain):
    x, step = 10.0, 1.0
    while abs(step) > 1e-9:  # guilty
        old = x  # guilty
        x = response(x, gain)  # guilty
        step = x - old  # guilty
    return x


gain = 0.6
for round_ in range(40):
    seen = [random.gauss(0, 1) for _ in range(20_000)]
    time.sleep(0.1)
    if round_ == 30:
        with open(os.environ["ZOO_DIR"] + "/ready", "w") as ready:
            ready.write(str(os.getpid()))
        gain = 2.0
    point = settle(gain)  # guilty
    print("round", round_, "spread", round(max(seen), 3), "point", round(point, 6), flush=True)
