"""A rank crashes in native code."""
# zoo end: segfault
# zoo role: rank 1
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc-per-node 2 {file}

import ctypes

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
x = torch.ones(4)
for step in range(50):
    if dist.get_rank() == 1 and step == 10:
        ctypes.string_at(0)  # guilty
    dist.all_reduce(x)
