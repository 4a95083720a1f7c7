"""A DataLoader worker builds batches that do not fit and is killed by the kernel."""
# zoo end: worker-oom
# zoo root: worker-oom host-leak dataset-in-ram
# zoo role: worker
# zoo memory: 700M
# zoo needs: torch

import torch
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        size = 8 if index < 16 else 160
        return torch.ones(size, 512, 512)


if __name__ == "__main__":
    for batch in DataLoader(Volumes(), batch_size=4, num_workers=2):
        print(batch.sum())
