"""Memory-mapped shards, each kept open, below a small ulimit -n."""
# zoo end: fd-limit
# zoo limits: -n 200
# zoo needs: numpy
# zoo before: {python} {zoo}/makers/samples.py 300 100

import time

import numpy as np

files = []
for i in range(300):
    files.append(open(f"s{i}.npy", "rb"))  # guilty
    time.sleep(0.001)
