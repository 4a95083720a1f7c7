"""Unpickles a data set that does not fit."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 300M
# zoo needs: numpy
# zoo before: {python} -c "import numpy as n, pickle; pickle.dump(n.ones(60_000_000), open('d.pkl', 'wb'))"

import pickle

with open("d.pkl", "rb") as file:
    data = pickle.load(file)  # guilty
print(data.shape)
