"""DataLoader workers pass large batches through a small /dev/shm."""
# zoo end: shm-full
# zoo role: main|worker
# zoo shm: 16M
# zoo needs: torch

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.ones(3, 512, 512)


if __name__ == "__main__":
    for batch in DataLoader(Images(), batch_size=8, num_workers=2):
        print(batch.mean())
