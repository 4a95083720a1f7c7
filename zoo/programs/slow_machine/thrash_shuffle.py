"""Shuffled reads over an array of twice the memory there is: each of them waits for swap."""
# zoo end: killed
# zoo root: swap-thrash
# zoo outcome: died
# zoo device: a machine of its own with swap, in a control group of 1 GiB; stopped after 20 s

import os

import numpy

rows = numpy.ones((1 << 18, 1024), dtype=numpy.float64)
generator = numpy.random.default_rng(0)
with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
    file.write(str(os.getpid()))
total = 0.0
while True:
    batch = generator.integers(0, len(rows), 256)
    total += rows[batch].sum()
