"""Snapshots of a nested state: the library that copies them is deeper than any stack that is kept."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 200M

import copy
import time

state = bytearray(100_000)
for _ in range(12):
    state = [state]
snapshots = []
while True:
    snapshots.append(copy.deepcopy(state))  # guilty
    time.sleep(0.002)
