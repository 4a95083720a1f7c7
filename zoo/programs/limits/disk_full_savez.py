"""Embeddings are saved with numpy on a full disk, from a class."""
# zoo end: disk-full
# zoo disk: 20M
# zoo needs: numpy

import os

import numpy as np


class Store:
    def __init__(self, folder):
        self.folder = folder

    def save(self, number, **arrays):
        np.savez(os.path.join(self.folder, f"part-{number}.npz"), **arrays)  # guilty


store = Store(os.path.join(os.environ["ZOO_DIR"], "disk"))
for i in range(100):
    store.save(i, x=np.random.rand(256, 1024), y=np.arange(256))
