"""A batch that does not fit is halved, and the run goes on."""
# zoo end: clean-exit
# zoo limits: -v 1500000
# zoo needs: numpy

import numpy as np

batch = 1 << 20
while True:
    try:
        work = np.ones((batch, 1024))
        break
    except MemoryError:
        batch //= 2
print(batch, work.sum())
