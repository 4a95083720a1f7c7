"""Asked to stop, it saves a checkpoint and finishes in its own time."""
# zoo end: clean-exit
# zoo root: killed
# zoo outcome: died
# zoo then: sleep 0.2; kill -TERM $PID

import os
import signal
import time

stop = []
signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while not stop:
    time.sleep(0.05)
open("checkpoint", "w").write("saved")
