"""Prints the words of many deaths and finishes."""
# zoo end: clean-exit

import sys

for line in [
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB",
    "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.",
    "Killed",
    "Segmentation fault (core dumped)",
    "OSError: [Errno 28] No space left on device",
]:
    print("retrying after:", line, file=sys.stderr)
