"""Sleeps between two looks at a folder, as schedulers do; nothing is wrong when it is told to end."""
# zoo end: killed
# zoo then: sleep 14; kill -TERM $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while not os.path.exists("/nowhere/todo"):
    time.sleep(60)
