"""Takes blocks of 4 MiB, fills them and gives them back at once, some gigabytes each second."""

import loop
import numpy as np

BLOCK = 4 << 20


def turn() -> None:
    for _ in range(8):
        block = bytearray(BLOCK)
        del block
        array = np.full(BLOCK // 8, 1.0)
        del array


loop.measure(turn, loop.options().loops, bytes_per_loop=16 * BLOCK)
