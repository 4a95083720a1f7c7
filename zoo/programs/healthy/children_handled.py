"""Children that fail, are killed by a time limit, and are dealt with."""
# zoo end: clean-exit

import subprocess
import sys

for code in ("raise SystemExit(3)", "import os; os.kill(os.getpid(), 15)", "1/0"):
    subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
try:
    subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=1)
except subprocess.TimeoutExpired:
    print("too slow, went on")
