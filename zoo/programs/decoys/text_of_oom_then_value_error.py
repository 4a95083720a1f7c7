"""Logs a GPU's out-of-memory error that it survived; dies of something else."""
# zoo end: exception

import sys

print("caught: CUDA out of memory. Tried to allocate 2.00 GiB", file=sys.stderr)
raise ValueError("unknown optimizer 'adamw2'")  # guilty
