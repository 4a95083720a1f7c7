"""Reads a table with pandas whose frame does not fit into the container."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 320M
# zoo needs: pandas
# zoo before: {python} {zoo}/makers/table.py big.csv 90000 400

import pandas as pd

frame = pd.read_csv("big.csv")  # guilty
print(frame.describe())
