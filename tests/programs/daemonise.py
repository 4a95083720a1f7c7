"""Leaves a daemon behind, which waits for the file `go`, writes to stderr, and makes `went`."""

import os
import sys
import time
from pathlib import Path

folder = Path(sys.argv[1])
if os.fork() > 0:
    sys.exit(0)
os.setsid()
if os.fork() > 0:
    os._exit(0)
os.close(1)
deadline = time.monotonic() + 60
while not (folder / "go").exists() and time.monotonic() < deadline:
    time.sleep(0.01)
os.write(2, b"from the daemon\n")
(folder / "went").touch()
