"""Bytes read from a file are turned into float64: eight times as much."""
# zoo end: cgroup-oom alloc-refused
# zoo root: dataset-in-ram
# zoo memory: 600M
# zoo before: head -c 200000000 /dev/urandom > images.bin
# zoo needs: numpy

import numpy as np


def load(path):
    raw = np.fromfile(path, dtype=np.uint8)
    return raw.astype(np.float64) / 255  # guilty


images = load("images.bin")
print(images.mean())
