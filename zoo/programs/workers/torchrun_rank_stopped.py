"""One of two ranks fails; the launcher stops the other, which is in no collective."""
# zoo end: exception
# zoo role: rank 0
# zoo also: stopped-by-launcher
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc-per-node 2 --master-port 29614 {file}

import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
x = torch.ones(4)
dist.all_reduce(x)
if dist.get_rank() == 0:
    time.sleep(1)
    raise ValueError("no sample left in shard 3")  # guilty
for _ in range(600):
    time.sleep(0.1)
