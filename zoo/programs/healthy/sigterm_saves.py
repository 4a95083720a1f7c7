"""Asked to stop, it saves and ends with 0."""
# zoo end: clean-exit
# zoo root: killed
# zoo outcome: died
# zoo then: sleep 1; kill $PID

import os
import signal
import sys
import time


def stop(signum, frame):
    with open("checkpoint.txt", "w") as file:
        file.write("saved")
    sys.exit(0)


signal.signal(signal.SIGTERM, stop)
with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
    file.write(str(os.getpid()))
while True:
    time.sleep(0.1)
