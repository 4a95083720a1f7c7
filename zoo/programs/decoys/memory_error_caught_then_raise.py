"""A refused allocation is handled; a later mistake ends the program."""
# zoo end: exception
# zoo needs: numpy

import numpy as np

try:
    np.empty(1 << 50)
except MemoryError as error:
    print("falling back:", error)
items = {}
items["missing"]  # guilty
