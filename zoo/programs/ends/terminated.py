"""A cluster's clean-up sends SIGTERM."""
# zoo end: killed
# zoo then: sleep 0.3; kill -TERM $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    time.sleep(0.1)
