"""Somebody sends SIGSEGV by hand: no fault happened."""
# zoo end: killed
# zoo then: sleep 0.3; kill -SEGV $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    time.sleep(0.1)
