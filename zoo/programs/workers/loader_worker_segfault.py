"""A DataLoader worker crashes while it augments."""
# zoo end: segfault
# zoo role: worker
# zoo needs: torch

import ctypes

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        if index == 9:
            ctypes.memset(16, 0, 4)  # guilty
        return torch.zeros(3)


if __name__ == "__main__":
    for _ in DataLoader(Images(), batch_size=2, num_workers=2):
        pass
