"""Only rank 1 is watched: torchrun stops it when rank 0 has failed."""
# zoo end: stopped-by-launcher
# zoo role: rank 1|main
# zoo needs: torch
# zoo launcher: {python} -m torch.distributed.run --nproc-per-node 2 --master-port 29615 --no-python sh {zoo}/one_rank.sh 1

import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
x = torch.ones(4)
dist.all_reduce(x)
if os.environ["RANK"] == "0":
    time.sleep(2)
    raise SystemExit("rank 0 gives up")
while True:
    time.sleep(0.1)
