"""A pool of one worker process, whose work leaks until it is killed."""

from concurrent.futures import ProcessPoolExecutor


def work(_):
    kept = []
    while True:
        kept.append(bytearray(b"x") * (1 << 20))


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(list(pool.map(work, [1])))
