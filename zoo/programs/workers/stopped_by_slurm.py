"""Only rank 1 is watched: Slurm stops it when rank 0 has failed. Slurm 22.05 does not say when a job must end."""
# zoo end: preempted stopped-by-launcher
# zoo role: rank 1|main
# zoo tools: srun slurmctld slurmd munged
# zoo launcher: sh {zoo}/in_slurm.sh srun --kill-on-bad-exit=1 --ntasks=2 --overcommit sh {zoo}/one_rank.sh 1

import os
import time

if os.environ["SLURM_PROCID"] == "0":
    time.sleep(2)
    raise SystemExit("rank 0 gives up")
while True:
    time.sleep(0.1)
