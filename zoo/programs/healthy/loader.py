"""Two epochs through a DataLoader with workers."""
# zoo end: clean-exit
# zoo needs: torch

import torch
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    data = TensorDataset(torch.randn(512, 16), torch.zeros(512))
    for _ in range(2):
        for x, y in DataLoader(data, batch_size=32, num_workers=2):
            (x.sum() + y.sum()).item()
