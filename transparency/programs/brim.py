"""The most that arguments and environment may take together, to the byte, for each way to exec."""

import os


def arguments(size):
    return ["true", *["x" * 100_000] * (size // 100_000), "y" * (size % 100_000)]


def spawns(size):
    try:
        child = os.posix_spawn("/bin/true", arguments(size), {"A": "b"})
    except OSError:
        return False
    return os.waitpid(child, 0)[1] == 0


def executes(size):
    child = os.fork()
    if child == 0:
        try:
            os.execve("/bin/true", arguments(size), {"A": "b"})
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


for fits in spawns, executes:
    low, high = 0, 8_000_000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    print(fits.__name__, low)
