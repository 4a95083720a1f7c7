"""Decoded frames are kept as files in /dev/shm, which counts in the container's memory."""
# zoo end: cgroup-oom
# zoo memory: 120M
# zoo shm: 400M

import time

for number in range(10**6):
    with open(f"/dev/shm/frame{number}", "wb") as frame:
        frame.write(bytes(1 << 20))
    time.sleep(0.02)
