"""Rank 1 waits for a file before it joins the others, and the file never comes."""
# zoo end: killed
# zoo root: collective-timeout
# zoo role: rank 1
# zoo outcome: stuck
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc_per_node 2 --master_port 29611 {file}
# zoo then: sleep 25; kill -TERM $PID

import os
import time

import torch
import torch.distributed as dist


def wait_for_shard():
    while not os.path.exists("/nowhere/shard-1.bin"):
        time.sleep(30)  # guilty


dist.init_process_group("gloo")
rank = dist.get_rank()
total = torch.ones(4)
for _ in range(5):
    dist.all_reduce(total)
if rank == 0:
    open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getppid()))
if rank == 1:
    wait_for_shard()
dist.all_reduce(total)
