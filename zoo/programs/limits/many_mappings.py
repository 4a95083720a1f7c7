"""Maps a file in small pieces until the kernel allows no more mappings."""
# zoo end: map-count
# zoo needs: numpy

import mmap
import time

with open("data.bin", "wb") as file:
    file.write(bytes(1 << 20))
pieces = []
with open("data.bin", "rb") as file:
    for i in range(200_000):
        prot = mmap.PROT_READ if i % 2 else mmap.PROT_READ | mmap.PROT_WRITE
        pieces.append(mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, prot))  # guilty
        if i % 2000 == 0:
            time.sleep(0.02)
