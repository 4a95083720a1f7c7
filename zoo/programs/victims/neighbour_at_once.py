"""A neighbour eats the limit within a few hundred milliseconds."""
# zoo end: oom-victim cgroup-oom
# zoo root: oom-victim
# zoo memory: 300M
# zoo then: exec {python} {zoo}/neighbours/eat.py at-once

import os
import time

buffer = bytearray(20 << 20)
open(f"/proc/{os.getpid()}/oom_score_adj", "w").write("1000")
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    buffer[0] = (buffer[0] + 1) % 100
    time.sleep(0.05)
