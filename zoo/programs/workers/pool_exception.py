"""An exception in a worker of multiprocessing.Pool comes back to the parent."""
# zoo end: exception

from multiprocessing import Pool


def parse(i):
    return 10 // (i - 5)  # guilty


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(parse, range(10)))
