# Two steps in a shell script; the first one needs too much.
# zoo end: cgroup-oom
# zoo root: cgroup-oom dataset-in-ram
# zoo memory: 200M
set -e
"$PYTHON" -c "rows = bytearray(150 << 20); more = bytes(rows) + bytes(rows)"
"$PYTHON" -c "print('never')"
