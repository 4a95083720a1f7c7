"""The machine promises no memory that it may not have; a cache of features asks for the rest."""
# zoo end: overcommit-limit
# zoo device: a machine of its own, vm.overcommit_memory=2 with 6 GiB left to promise

import numpy

features = []
for shard in range(64):
    features.append(numpy.ones((1 << 26,), dtype=numpy.float64))  # guilty
    print("shard", shard, flush=True)
