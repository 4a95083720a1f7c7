"""One rank eats the container's memory and is killed; the launcher reports signal 9."""
# zoo end: cgroup-oom
# zoo root: cgroup-oom host-leak dataset-in-ram
# zoo role: rank 0
# zoo memory: 1500M
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc-per-node 2 {file}

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
kept = []
x = torch.ones(4)
for step in range(10_000):
    if dist.get_rank() == 0:
        kept.append(torch.ones(5_000_000))
    dist.all_reduce(x)
