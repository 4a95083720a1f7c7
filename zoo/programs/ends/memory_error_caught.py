"""A refused allocation is caught; the program takes less and finishes."""
# zoo end: clean-exit
# zoo needs: numpy

import numpy as np

try:
    table = np.empty(1 << 48, dtype=np.uint8)
except MemoryError:
    table = np.empty(1 << 10, dtype=np.uint8)
print(table.size)
