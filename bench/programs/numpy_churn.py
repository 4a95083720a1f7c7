"""Makes and drops numpy arrays of one size; one turn goes through about 20 arrays."""

from __future__ import annotations

from collections import deque

import loop
import numpy as np

options = loop.options(bytes=10_000)
items = options.bytes // 8
source = np.arange(items, dtype=np.float64)
window: deque[np.ndarray] = deque(maxlen=4)


def turn() -> None:
    for _ in range(5):
        scaled = source * 1.5
        shifted = scaled + source
        mask = shifted > 10.0
        picked = np.where(mask, shifted, scaled)
        window.append(picked)


loop.measure(turn, options.loops)
