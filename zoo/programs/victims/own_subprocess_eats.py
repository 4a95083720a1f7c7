"""A preprocessing program that the script starts eats the memory and is killed; the script fails."""
# zoo end: worker-oom
# zoo root: worker-oom host-leak dataset-in-ram
# zoo role: worker
# zoo memory: 200M

import subprocess
import sys

subprocess.run([sys.executable, "-c", "x = bytearray(b'x') * (1 << 30)"], check=True)
