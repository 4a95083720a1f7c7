"""The SSH session goes away."""
# zoo end: hangup
# zoo then: sleep 0.3; kill -HUP $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    time.sleep(0.1)
