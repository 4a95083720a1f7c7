"""Ctrl-C in the middle of an epoch."""
# zoo end: interrupted
# zoo then: sleep 0.3; kill -INT $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    time.sleep(0.1)
