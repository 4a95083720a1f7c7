"""Slurm ends a job whose time is up."""
# zoo end: preempted killed
# zoo root: preempted
# zoo environment: SLURM_JOB_ID=4711 SLURM_JOB_END_TIME=1
# zoo then: sleep 0.3; kill -TERM $PID

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
while True:
    time.sleep(0.1)
