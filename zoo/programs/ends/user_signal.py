"""SIGUSR1 from a monitoring script that expects a handler."""
# zoo end: killed
# zoo then: sleep 0.3; kill -USR1 $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    time.sleep(0.1)
