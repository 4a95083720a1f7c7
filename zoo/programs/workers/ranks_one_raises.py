"""A rank fails with an exception of its own; the other loses it, and is waited for first."""
# zoo end: exception
# zoo role: rank 1
# zoo needs: torch
# zoo also: peer-lost

import os
import subprocess
import sys


def train(rank, meet):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{meet}", rank=rank, world_size=2)
    x = torch.ones(8)
    prices = {"a": 1.0, "b": 2.0}
    for step in range(200):
        if rank == 1 and step == 30:
            x *= prices["c"]  # guilty
        dist.all_reduce(x)


if "RANK" in os.environ:
    train(int(os.environ["RANK"]), os.environ["ZOO_DIR"] + "/meet")
    sys.exit()
own = os.environ | {"WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
ranks = [subprocess.Popen([sys.executable, __file__], env=own | {"RANK": str(r)}) for r in range(2)]
if any([rank.wait() for rank in ranks]):
    sys.exit(1)
