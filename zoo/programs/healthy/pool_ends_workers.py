"""A pool that terminates its workers with SIGTERM, as pools do."""
# zoo end: clean-exit

from multiprocessing import Pool


def square(x):
    return x * x


if __name__ == "__main__":
    with Pool(3) as pool:
        print(sum(pool.map(square, range(1000))))
