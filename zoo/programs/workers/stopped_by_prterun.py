"""Only rank 1 is watched: Open MPI 5 stops it when rank 0 has failed."""
# zoo end: stopped-by-launcher
# zoo role: rank 1|main
# zoo tools: prterun
# zoo launcher: prterun --allow-run-as-root --map-by :OVERSUBSCRIBE -np 2 sh {zoo}/one_rank.sh 1

import os
import time

if os.environ["PMIX_RANK"] == "0":
    time.sleep(2)
    raise SystemExit("rank 0 gives up")
while True:
    time.sleep(0.1)
