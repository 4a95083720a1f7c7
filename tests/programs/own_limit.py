"""Holds half a gigabyte, then allows itself no more address space than that, and asks for more."""

import resource
import time
from pathlib import Path

kept = bytearray(512 << 20)
time.sleep(1)
with Path("/proc/self/statm").open() as file:
    mapped = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped, mapped))
more = bytearray(64 << 20)
