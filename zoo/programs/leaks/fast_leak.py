"""A leak that fills its container within two seconds."""
# zoo end: cgroup-oom
# zoo root: host-leak cgroup-oom
# zoo memory: 400M
# zoo needs: numpy

import numpy as np

kept = []
while True:
    batch = np.ones(250_000)  # guilty
    kept.append(batch)
