"""A preprocessing step in a process of its own is OOM-killed."""
# zoo end: worker-oom cgroup-oom
# zoo root: worker-oom cgroup-oom host-leak dataset-in-ram
# zoo role: worker
# zoo memory: 300M

import subprocess
import sys

code = "import time\nrows = []\nwhile True:\n    rows.append(bytearray(1 << 20)); time.sleep(0.002)"
subprocess.run([sys.executable, "-c", code], check=True)
