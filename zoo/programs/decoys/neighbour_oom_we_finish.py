"""Somebody else in the container is OOM-killed; our work goes on to its end."""
# zoo end: clean-exit
# zoo memory: 200M
# zoo then: {python} {zoo}/neighbours/eat.py at-once

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
time.sleep(2)
