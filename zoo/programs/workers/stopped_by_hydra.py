"""Somebody ends MPICH's mpiexec, and its proxy stops the rank."""
# zoo end: stopped-by-launcher
# zoo role: rank 0|main
# zoo tools: mpiexec.hydra hydra_pmi_proxy
# zoo launcher: mpiexec.hydra -np 1
# zoo then: sleep 0.3; kill -TERM $SUPERVISOR

import os
import time

open(os.environ["ZOO_DIR"] + "/ready", "w").write(os.environ["PMI_RANK"])
while True:
    time.sleep(0.1)
