"""Metrics are written by a thread, and the loop waits for it: the disk below does not answer."""
# zoo end: killed
# zoo root: io-stall
# zoo outcome: stuck
# zoo tools: fsfreeze mkfs.ext4
# zoo disk: 64M ext4
# zoo beside: sh {zoo}/neighbours/freeze.sh 24 then-stop

import os
import queue
import threading
import time

folder = os.environ["ZOO_DIR"]
lines = queue.Queue(maxsize=8)


def write():
    log = open(f"{folder}/disk/metrics.csv", "a")
    while True:
        log.write(lines.get() + "\n")  # guilty
        log.flush()  # guilty


threading.Thread(target=write, daemon=True).start()
for step in range(10_000):
    lines.put(f"{step},{1 / (step + 1)}")
    time.sleep(0.05)
    if step == 20:
        with open(folder + "/ready", "w") as file:
            file.write(str(os.getpid()))
