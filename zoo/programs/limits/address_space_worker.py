"""ulimit -v reaches a pool worker first."""
# zoo end: address-limit
# zoo role: main|worker
# zoo limits: -v 2000000
# zoo needs: numpy

import multiprocessing

import numpy as np


def features(n):
    kept = [np.ones((n, 1000)) for _ in range(100)]  # guilty
    return len(kept)


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        print(pool.map(features, [10, 5000]))
