"""A launcher of one's own starts the training, which loses its terminal, and hands the status on."""
# zoo end: hangup
# zoo role: worker

import os
import signal
import subprocess
import sys
import time

child = subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(0.1)"])
time.sleep(1.5)
os.kill(child.pid, signal.SIGHUP)
status = child.wait()
time.sleep(0.2)
sys.exit(128 - status)
