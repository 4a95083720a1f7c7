"""Says `ready PID`, waits for a file to appear, says that it did, and exits 6."""

import os
import sys
import time
from pathlib import Path

print("ready", os.getpid(), flush=True)
deadline = time.monotonic() + 120
while not Path(sys.argv[1]).exists() and time.monotonic() < deadline:
    time.sleep(0.01)
print("it appeared", flush=True)
sys.exit(6)
