"""A watchdog thread of the program's own kills it with SIGKILL."""
# zoo end: killed
# zoo root: killed

import os
import signal
import threading
import time


def watchdog():
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)


threading.Thread(target=watchdog, daemon=True).start()
while True:
    time.sleep(0.05)
