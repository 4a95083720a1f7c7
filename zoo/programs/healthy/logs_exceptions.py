"""Errors are logged with their tracebacks, and the run ends well."""
# zoo end: clean-exit

import logging
import sys

logging.basicConfig(stream=sys.stderr)
for i in range(3):
    try:
        [][i]
    except IndexError:
        logging.exception("MemoryError: sample %d left out; CUDA out of memory", i)
