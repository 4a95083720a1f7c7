"""One of two ranks returns early when its data are used up, while the other waits for it."""
# zoo end: peer-lost
# zoo role: rank 0
# zoo needs: torch
# zoo run: {python} -m torch.distributed.run --nproc-per-node 2 --master-port 29613 {file}

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    batches = torch.randn(40 if rank == 0 else 25, 16)
    total = torch.zeros(16)
    for batch in batches:
        dist.all_reduce(batch)  # guilty
        total += batch


main()
