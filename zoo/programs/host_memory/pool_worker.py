"""The worker of a pool collects what it should have written; the machine runs out of memory."""
# zoo end: worker-oom
# zoo root: worker-oom host-leak
# zoo role: main|worker
# zoo device: a machine of its own, 40 GiB of its 128 free

from concurrent.futures import ProcessPoolExecutor

import numpy


def collect(count):
    parts = []
    for index in range(count):
        parts.append(numpy.full((1 << 27,), float(index)))
    return sum(part[0] for part in parts)


if __name__ == "__main__":
    with ProcessPoolExecutor(max_workers=1) as pool:
        print(pool.submit(collect, 200).result())
