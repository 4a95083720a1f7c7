"""A DataLoader worker unpacks a sample that does not fit and is killed by the kernel."""
# zoo end: worker-oom
# zoo root: worker-oom host-leak dataset-in-ram
# zoo role: worker
# zoo memory: 900M
# zoo needs: torch

import torch
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        if index == 17:
            return bytearray(b"x") * (3 << 30)  # guilty
        return torch.ones(8, 64, 64)


if __name__ == "__main__":
    for batch in DataLoader(Volumes(), batch_size=4, num_workers=1):
        print(len(batch))
