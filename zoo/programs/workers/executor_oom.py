"""One task of a process pool is far larger than the others."""
# zoo end: worker-oom
# zoo root: worker-oom dataset-in-ram
# zoo role: worker
# zoo memory: 400M
# zoo needs: numpy

from concurrent.futures import ProcessPoolExecutor

import numpy as np


def gram(n):
    rows = np.ones((n, 2000))  # guilty
    return float((rows.T @ rows).trace())  # guilty


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(sum(pool.map(gram, [100, 200, 300, 60_000, 100])))
