"""A container that may not read the kernel log: the counters of its own cgroup decide."""
# zoo end: cgroup-oom
# zoo root: host-leak cgroup-oom dataset-in-ram
# zoo memory: 200M
# zoo kernel-log: hidden

kept = []
while True:
    kept.append(bytearray(b"x") * (1 << 20))
