"""A batch queue's ulimit -t ends a long loop."""
# zoo end: cpu-time-limit
# zoo limits: -St 2

total = 0
while True:
    total += 1
