"""Each step's peak is close to the limit, and all of it is given back."""
# zoo end: clean-exit
# zoo memory: 400M
# zoo needs: numpy

import numpy as np

for step in range(25):
    work = np.ones((280, 1 << 17))
    work *= 1.5
    del work
