"""A worker thread gives up for everybody with os._exit."""
# zoo end: exit-called

import os
import threading
import time


def watchdog():
    time.sleep(0.2)
    os._exit(4)  # guilty


threading.Thread(target=watchdog).start()
time.sleep(60)
