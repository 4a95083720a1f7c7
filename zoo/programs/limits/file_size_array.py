"""ulimit -f: an array larger than a file may be."""
# zoo end: file-size-limit
# zoo limits: -f 20000
# zoo needs: numpy

import numpy as np

with open("out.bin", "wb") as out:
    for _ in range(100):
        out.write(np.zeros(1 << 18).tobytes())  # guilty
