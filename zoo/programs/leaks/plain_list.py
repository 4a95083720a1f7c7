"""A log of everything, in a plain loop without a framework."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 200M

import time

events = []


def handle(number):
    events.append({"id": number, "payload": bytearray(200_000)})  # guilty


for i in range(100_000):
    handle(i)
    time.sleep(0.004)
