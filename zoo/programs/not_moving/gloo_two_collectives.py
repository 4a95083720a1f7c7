"""Rank 0 gathers where the others are at a barrier already."""
# zoo end: killed
# zoo root: collective-timeout
# zoo role: rank 0|rank 1
# zoo outcome: stuck
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc_per_node 2 --master_port 29613 {file}
# zoo then: sleep 25; kill -TERM $PID

import os

import torch
import torch.distributed as dist


def share(value):
    dist.all_reduce(value)  # guilty


def finish_epoch():
    pieces = [torch.zeros(4) for _ in range(2)]
    dist.all_gather(pieces, torch.ones(4))  # guilty


dist.init_process_group("gloo")
rank = dist.get_rank()
total = torch.ones(4)
for _ in range(5):
    share(total)
if rank == 0:
    open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getppid()))
if rank == 0:
    finish_epoch()
share(torch.ones(1 << 16))
