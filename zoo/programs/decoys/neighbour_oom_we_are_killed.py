"""Somebody else in the container is OOM-killed; in the same second we are killed by hand."""
# zoo end: killed unknown-kill
# zoo memory: 200M
# zoo then: {python} {zoo}/neighbours/eat.py at-once; kill -KILL $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
time.sleep(100)
