"""Opens files and never closes them, with a pause of so many seconds after each."""

import sys
import time
from pathlib import Path

kept = []
while True:
    kept.append(Path("/dev/null").open())  # noqa: SIM115
    time.sleep(float(sys.argv[1]))
