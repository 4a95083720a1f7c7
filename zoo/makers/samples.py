"""Writes sample files of random numbers: samples.py COUNT NUMBERS."""

import sys

import numpy as np

for i in range(int(sys.argv[1])):
    np.save(f"s{i}.npy", np.random.default_rng(i).random(int(sys.argv[2])))
