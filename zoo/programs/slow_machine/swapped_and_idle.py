"""Most of it lies in swap and is not asked for again: that costs nothing."""
# zoo end: clean-exit
# zoo device: a machine of its own with swap, in a control group of 1 GiB

import time

import numpy

archive = numpy.ones((3 << 26,), dtype=numpy.float64)
recent = numpy.ones((1 << 20,), dtype=numpy.float64)
until = time.monotonic() + 12
while time.monotonic() < until:
    recent = recent * 0.999 + 0.001
    time.sleep(0.01)
print(len(archive), recent[0])
