"""Every step appends its predictions to one frame by concatenation."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 400M
# zoo needs: pandas

import numpy as np
import pandas as pd

names = [f"series{i:05d}" for i in range(6000)]
report = pd.DataFrame()
weights = np.zeros(6000)
for day in range(2000):
    target = np.random.default_rng(day).normal(size=6000)
    weights += 0.1 * (target - weights)
    part = pd.DataFrame({"name": names, "predicted": weights, "actual": target})  # guilty
    part["note"] = [f"{name}@{day}" for name in names]  # guilty
    report = pd.concat([report, part], ignore_index=True)  # guilty
