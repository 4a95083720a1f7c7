"""A rank crashes in native code; the other loses it, and the parent counts who failed."""
# zoo end: segfault
# zoo role: rank 1
# zoo needs: torch
# zoo also: peer-lost

import ctypes
import os
import subprocess
import sys


def train(rank, meet):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{meet}", rank=rank, world_size=2)
    x = torch.ones(8)
    for step in range(200):
        if rank == 1 and step == 30:
            ctypes.string_at(0)  # guilty
        dist.all_reduce(x)


if "RANK" in os.environ:
    train(int(os.environ["RANK"]), os.environ["ZOO_DIR"] + "/meet")
    sys.exit()
own = os.environ | {"WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
ranks = [subprocess.Popen([sys.executable, __file__], env=own | {"RANK": str(r)}) for r in range(2)]
failed = [rank.wait() != 0 for rank in ranks]
sys.exit(int(any(failed)))
