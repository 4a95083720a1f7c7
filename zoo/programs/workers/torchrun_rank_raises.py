"""One of two ranks fails with an exception; the launcher stops the other."""
# zoo end: exception
# zoo role: rank 1
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc-per-node 2 {file}

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.ones(4)
for step in range(100):
    if rank == 1 and step == 5:
        raise RuntimeError("cannot decode sample 17")  # guilty
    dist.all_reduce(x)
