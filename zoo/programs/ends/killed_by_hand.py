"""Somebody loses patience and sends SIGKILL."""
# zoo end: killed unknown-kill
# zoo then: sleep 0.3; kill -KILL $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    time.sleep(0.1)
