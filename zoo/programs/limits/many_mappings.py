"""Takes memory in small mappings of its own until the kernel allows no more of them."""
# zoo end: map-count

import mmap
import time

pieces = []
for i in range(200_000):
    # Neighbours of one kind would become one mapping.
    prot = mmap.PROT_READ if i % 2 else mmap.PROT_READ | mmap.PROT_WRITE
    pieces.append(mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot))  # guilty
    if i % 2000 == 0:
        time.sleep(0.02)
