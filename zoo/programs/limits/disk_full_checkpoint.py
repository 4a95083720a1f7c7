"""Saves a checkpoint after every epoch until the disk is full."""
# zoo end: disk-full
# zoo disk: 24M
# zoo needs: numpy

import os
import time

import numpy as np

weights = np.random.rand(500_000)


def save(epoch):
    path = os.path.join(os.environ["ZOO_DIR"], "disk", f"epoch{epoch}.npy")
    with open(path, "wb") as file:
        weights.tofile(file)  # guilty
    time.sleep(0.05)


for epoch in range(50):
    save(epoch)
