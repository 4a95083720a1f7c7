"""Sends one signal to a process, and lives on so that the sender can be looked at."""

import os
import sys
import time

os.kill(int(sys.argv[1]), int(sys.argv[2]))
time.sleep(0.05)
