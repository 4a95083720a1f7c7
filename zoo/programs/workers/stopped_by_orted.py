"""Only rank 1 is watched, on another machine than mpirun: the daemon there stops it when rank 0 has failed."""
# zoo end: stopped-by-launcher
# zoo role: rank 1|main
# zoo tools: orted mpirun.openmpi
# zoo launcher: mpirun.openmpi --allow-run-as-root --mca plm_rsh_agent {zoo}/no_ssh.sh --host other:2 -np 2 sh {zoo}/one_rank.sh 1

import os
import time

if os.environ["OMPI_COMM_WORLD_RANK"] == "0":
    time.sleep(2)
    raise SystemExit("rank 0 gives up")
while True:
    time.sleep(0.1)
