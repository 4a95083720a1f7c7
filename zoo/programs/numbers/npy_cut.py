"""A .npy file that is shorter than its header says."""
# zoo end: bad-input
# zoo needs: numpy

import numpy as np

np.save("features.npy", np.zeros((1000, 64)))
with open("features.npy", "r+b") as file:
    file.truncate(10_000)
x = np.load("features.npy")  # guilty
