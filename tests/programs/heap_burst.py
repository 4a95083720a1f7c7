"""Makes many small objects at one line, as fast as it can, prints how much it grew, and dies."""

import json
import os
import signal
import sys
from pathlib import Path


def resident() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


way = sys.argv[1]
# Not joined from many small strings: once in some forty runs on 3.8 what they had held was counted
# at the line below, too.
rows = bytearray()
for i in range(400_000):
    rows += b'{"id": %d, "loss": %d.5}, ' % (i, i)
text = '{"steps": [' + rows[:-2].decode() + "]}"
del rows
before = resident()
if way == "dicts":
    kept = [{"id": i} for i in range(700_000)]  # mark: dicts
elif way == "tuples":
    kept = [(i, i + 1, i + 2) for i in range(1_200_000)]  # mark: tuples
elif way == "strings":
    kept = [f"sample{i}" for i in range(2_000_000)]  # mark: strings
elif way == "parsed":
    kept = json.loads(text)  # mark: parsed
print(resident() - before, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
