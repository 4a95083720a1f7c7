"""An extension aborts in a worker of concurrent.futures."""
# zoo end: native-abort
# zoo role: worker

import os
from concurrent.futures import ProcessPoolExecutor


def convert(i):
    if i == 5:
        os.abort()  # guilty
    return i


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(convert, range(10))))
