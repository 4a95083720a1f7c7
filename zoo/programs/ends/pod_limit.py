"""A pod of Kubernetes needs more memory than its limit."""
# zoo end: cgroup-oom
# zoo root: cgroup-oom dataset-in-ram
# zoo memory: 200M
# zoo environment: KUBERNETES_SERVICE_HOST=10.96.0.1 HOSTNAME=train-0

rows = bytearray(150 << 20)
more = bytes(rows) + bytes(rows)  # guilty
