"""Rank 1 is late, and rank 0 gives up waiting."""
# zoo end: exception exit-called collective-timeout
# zoo root: collective-timeout
# zoo role: rank 0
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc_per_node 2 --master_port 29612 {file}

import datetime
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=6))
total = torch.ones(4)
dist.all_reduce(total)
if dist.get_rank() == 1:
    time.sleep(60)
dist.all_reduce(total)  # guilty
