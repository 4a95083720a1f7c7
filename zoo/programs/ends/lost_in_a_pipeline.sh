# A script pipes its trainer into tee: the OOM kill inside leaves exit status 0.
# zoo end: cgroup-oom
# zoo root: host-leak dataset-in-ram
# zoo memory: 200M
# zoo outcome: died
"$PYTHON" -u -c '
import time
kept = {}
for step in range(100_000):
    kept[step] = bytes([step % 255 + 1]) * 500_000
    time.sleep(0.005)
' 2>&1 | tee train.log
echo "finished, log in train.log"
