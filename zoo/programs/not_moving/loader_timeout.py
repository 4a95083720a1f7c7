"""A worker takes longer than the loader's time limit."""
# zoo end: exception loader-stall
# zoo root: loader-stall
# zoo needs: torch

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, i):
        if i == 40:
            time.sleep(60)
        return torch.zeros(1)


if __name__ == "__main__":
    for batch in DataLoader(Slow(), batch_size=8, num_workers=1, timeout=4):  # guilty
        pass
