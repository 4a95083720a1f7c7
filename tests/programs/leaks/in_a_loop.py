"""Leaks in a plain loop, in the way its argument names; the guilty line is marked with it."""

import ctypes
import functools
import sys
import time

import helper

MIB = 1 << 20
PACE = 0.012
kept = []
by_step = {}


def work():
    """What any loop does besides the leak: makes something and drops it."""
    return len([bytes(20_000) for _ in range(20)])


def in_list(turn):
    kept.append(bytearray(MIB))  # leaks: in_list


def by_key(turn):
    by_step[turn] = b"x" * MIB  # leaks: by_key


def closures(turn):
    noise = bytearray(MIB)  # leaks: closures
    kept.append(lambda: noise)


@functools.lru_cache(maxsize=None)
def features(turn):
    return bytes([turn % 7 + 1]) * MIB  # leaks: cached


def cached(turn):
    features(turn)


def below_python(turn):
    block = malloc(MIB)  # leaks: below_python
    ctypes.memset(block, 1, MIB)


def in_helper(turn):
    helper.remember(turn)


def pieces():
    piece = bytearray(MIB)  # leaks: generator
    yield len(piece)


def generator(turn):
    made = pieces()
    next(made)
    kept.append(made)


def holding():
    held = []
    while True:
        held.append(bytearray(MIB))  # leaks: one_generator
        yield len(held)


def one_generator(turn):
    next(one)


def small_objects(turn):
    for number in range(1500):
        kept.append({"turn": turn, "text": f"row {number} of {turn}"})  # leaks: small_objects
    sum(len(str(number) + "x") for number in range(5000))


one = holding()
libc = ctypes.CDLL(None)
malloc = libc.malloc
malloc.argtypes, malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
ctypes.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
step = None
crashes = sys.argv[2:] == ["--crash"]
if sys.argv[2:] and not crashes:
    sys.path.insert(0, sys.argv[2])
    import holdfast

    step = holdfast.step
leak = globals()[sys.argv[1]]
turn = 0
while True:
    work()
    leak(turn)
    time.sleep(PACE)
    if step:
        step()
    turn += 1
    if crashes and turn == 450:
        ctypes.string_at(0)
