"""A worker fills a one-hot table that is larger than the limit; only the pages it touches count."""
# zoo end: worker-oom
# zoo root: worker-oom dataset-in-ram
# zoo role: worker
# zoo memory: 300M
# zoo needs: numpy

from concurrent.futures import ProcessPoolExecutor

import numpy as np

WORDS = 8192


def frequencies(length):
    tokens = np.arange(length) * 37 % WORDS
    table = np.zeros((length, WORDS), dtype=np.float32)  # guilty
    table[np.arange(length), tokens] = 1
    return table.sum(axis=0)


if __name__ == "__main__":
    lengths = [300, 500, 200, 90_000, 400]
    with ProcessPoolExecutor(2) as pool:
        total = sum(pool.map(frequencies, lengths))
    print(int(total.argmax()))
