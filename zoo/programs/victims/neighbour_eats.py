"""A small evaluation loop whose container is filled by another process."""
# zoo end: oom-victim
# zoo memory: 200M
# zoo then: exec {python} {zoo}/neighbours/eat.py slowly

import os
import time

buffer = bytearray(30 << 20)
open(f"/proc/{os.getpid()}/oom_score_adj", "w").write("1000")
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    buffer[0] += 1
    buffer[0] %= 100
    time.sleep(0.05)
