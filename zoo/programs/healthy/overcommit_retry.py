"""Refused a large buffer by strict overcommit, it takes a smaller one, and finishes."""
# zoo end: clean-exit
# zoo device: a machine of its own, vm.overcommit_memory=2 with 6 GiB left to promise

import numpy

size = 64 << 30
while True:
    try:
        buffer = numpy.zeros(size, dtype=numpy.uint8)
        break
    except MemoryError:
        size //= 2
        print("too much; trying", size, flush=True)
buffer[:: 1 << 20] = 1
print("done with", size)
