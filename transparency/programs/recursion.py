"""Works close to its recursion limit and then meets it, again and again, while its memory grows."""

import sys
import time

sys.setrecursionlimit(300)
kept = []
said = set()


def over():
    return over()


def deep(levels):
    if levels:
        return deep(levels - 1)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        kept.append(bytearray(400_000))
        if len(kept) > 400:
            kept.clear()
    return over()


for levels in 270, 285, 290, 294:
    try:
        deep(levels)
    except RecursionError as error:
        said.add(str(error).split(" while")[0])
print(said)
