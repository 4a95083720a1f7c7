"""A program that seven shells and a busybox hand on needs too much memory."""
# zoo end: cgroup-oom
# zoo root: cgroup-oom dataset-in-ram
# zoo memory: 200M
# zoo tools: bash dash zsh ksh ash fish busybox
# zoo run: bash {zoo}/hand_on.sh dash {zoo}/hand_on.sh zsh {zoo}/hand_on.sh ksh {zoo}/hand_on.sh ash {zoo}/hand_on.sh fish {zoo}/hand_on.fish busybox sh {zoo}/hand_on.sh {python} {file}

rows = bytearray(150 << 20)
more = bytes(rows) + bytes(rows)  # guilty
