"""An extension built for another NumPy refuses to be imported."""
# zoo end: numpy-abi
# zoo native: numpy_abi.c

import os
import sys

sys.path.insert(0, os.environ["ZOO_DIR"])
import numpy_abi  # noqa: F401  # guilty
