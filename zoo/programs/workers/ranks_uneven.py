"""Two ranks with lists of different length: the short one is done and leaves, the other goes on."""
# zoo end: peer-lost exit-called
# zoo root: peer-lost
# zoo role: rank 0
# zoo needs: torch

import os
import subprocess
import sys

SHARDS = {0: range(0, 60), 1: range(60, 85)}


def train(rank, meet):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{meet}", rank=rank, world_size=2)
    weights = torch.zeros(64)
    for shard in SHARDS[rank]:
        gradient = torch.randn(64) + shard / 100
        dist.all_reduce(gradient)  # guilty
        weights -= 0.01 * gradient
    os._exit(0)


def start(rank):
    own = {"RANK": str(rank), "WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
    return subprocess.Popen([sys.executable, __file__], env=os.environ | own)


if "RANK" in os.environ:
    train(int(os.environ["RANK"]), os.environ["ZOO_DIR"] + "/meet")
ranks = [start(0), start(1)]
statuses = [rank.wait() for rank in ranks]
sys.exit(1 if any(statuses) else 0)
