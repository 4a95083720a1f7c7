"""A merge on a column with few values multiplies the rows."""
# zoo end: cgroup-oom alloc-refused
# zoo root: dataset-in-ram cgroup-oom alloc-refused
# zoo memory: 900M
# zoo needs: pandas

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
clicks = pd.DataFrame({"user": rng.integers(0, 10, 40_000), "t": rng.random(40_000)})
views = pd.DataFrame({"user": rng.integers(0, 10, 40_000), "p": rng.random(40_000)})
both = clicks.merge(views, on="user")  # guilty
print(len(both))
