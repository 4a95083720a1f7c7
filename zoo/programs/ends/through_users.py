"""The first process of a container becomes another user three times, and the program is too large."""
# zoo end: cgroup-oom
# zoo root: cgroup-oom dataset-in-ram
# zoo memory: 200M
# zoo tools: dumb-init tini sudo su runuser
# zoo run: dumb-init -- tini -s -- sudo -n su root -c 'runuser root -c "{python} {file}"'

rows = bytearray(150 << 20)
more = bytes(rows) + bytes(rows)  # guilty
