"""Leaks small objects beside many temporary ones, or only keeps a cache that stops growing."""

import os
import signal
import sys
import time

kept = []
cache = {}


def leak(number):
    kept.append((number, f"text that stays {number}"))  # mark: leak


def remember(number):
    cache[number % 20000] = f"text that is replaced {number}"


def temporaries():
    return len({str(i): [i, (i, i + 1)] for i in range(20000)})  # mark: temporaries


deadline = time.monotonic() + float(sys.argv[2])
turn = 0
enough = 150_000 if sys.argv[1] == "leak" else 0  # on a busy machine time alone is no growth
while time.monotonic() < deadline or len(kept) < enough:
    temporaries()
    for number in range(1500):
        (leak if sys.argv[1] == "leak" else remember)(turn * 1500 + number)
    turn += 1
os.kill(os.getpid(), signal.SIGKILL)
