"""torch.multiprocessing.spawn: the second of two processes crashes."""
# zoo end: segfault
# zoo role: worker|rank 1
# zoo needs: torch

import ctypes
import time

import torch.multiprocessing as mp


def train(rank):
    time.sleep(1)
    if rank == 1:
        ctypes.memset(8, 0, 4)  # guilty
    time.sleep(20)


if __name__ == "__main__":
    mp.spawn(train, nprocs=2)
