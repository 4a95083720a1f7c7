"""Each worker of a pool loads a table of its own; those that are killed for it are replaced, for ever."""
# zoo end: killed
# zoo root: worker-oom
# zoo role: worker
# zoo outcome: died
# zoo memory: 300M
# zoo needs: numpy
# zoo then: sleep 14; kill -TERM $PID

import multiprocessing
import os

import numpy as np


def begin(rows):
    global table
    table = np.ones((rows, 64))  # guilty


def rate(item):
    return float(table[item].sum())


if __name__ == "__main__":
    open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
    with multiprocessing.get_context("fork").Pool(3, begin, (250_000,)) as pool:
        print(sum(pool.map(rate, range(100_000), chunksize=10)))
