"""A join of two tables grows beyond what the machine's earlyoom puts up with."""
# zoo end: userspace-oom
# zoo root: host-leak
# zoo needs: pandas
# zoo tools: earlyoom
# zoo beside: sh {zoo}/neighbours/earlyoom.sh 1500 8000

import numpy
import pandas

rows = 1500
clicks = pandas.DataFrame({"user": numpy.zeros(rows, dtype=int), "page": numpy.arange(rows)})
parts = []
for day in range(70):
    # Every user is the same one: each day's join has rows * rows lines.
    parts.append(clicks.merge(clicks.assign(day=day), on="user"))  # guilty
print(sum(len(part) for part in parts))
