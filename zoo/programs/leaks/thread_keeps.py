"""A background thread downloads ahead and never throws away."""
# zoo end: cgroup-oom
# zoo root: host-leak cgroup-oom
# zoo memory: 300M
# zoo needs: numpy

import threading
import time

import numpy as np

ahead = []


def fetch():
    while True:
        ahead.append(np.random.rand(128, 1024))  # guilty
        time.sleep(0.01)


threading.Thread(target=fetch, daemon=True).start()
while True:
    sum(i * i for i in range(1000))
    time.sleep(0.01)
