"""A batch scheduler's ulimit -v refuses an array while the machine has plenty."""
# zoo end: address-limit
# zoo root: address-limit host-leak
# zoo limits: -v 1200000
# zoo needs: numpy

import numpy as np

parts = []
for i in range(100):
    parts.append(np.ones((64, 1024, 256)))  # guilty
