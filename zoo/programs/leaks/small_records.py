"""A history of small dictionaries with their texts, one for each message."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 250M

import time


class Log:
    def __init__(self):
        self.entries = []

    def add(self, i):
        entry = {"id": i, "text": f"message number {i} of this run " * 4, "tags": [str(i), "x"]}  # guilty
        self.entries.append(entry)  # guilty


log = Log()
i = 0
while True:
    for _ in range(2000):
        log.add(i)
        i += 1
    time.sleep(0.02)
