"""Every epoch looks at all the features kept so far; swap makes that slow, until it is full too."""
# zoo end: cgroup-oom
# zoo root: host-leak dataset-in-ram cgroup-oom
# zoo also: swap-thrash
# zoo device: a machine of its own, in a control group of 1 GiB with 512 MiB of swap

import numpy

kept = []
for epoch in range(1000):
    kept.append(numpy.full((1 << 24,), float(epoch)))
    for features in kept:
        features[:: 1 << 9] += 1.0
    print(epoch, flush=True)
