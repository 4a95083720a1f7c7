"""A worker is OOM-killed; the parent starts it again with less and finishes."""
# zoo end: clean-exit
# zoo also: dataset-in-ram
# zoo memory: 200M

import multiprocessing


def decode(size):
    return len(bytearray(b"x") * size)


if __name__ == "__main__":
    for size in (1 << 30, 1 << 20):
        process = multiprocessing.Process(target=decode, args=(size,))
        process.start()
        process.join()
