"""Trains on a GPU that falls off the bus."""
# zoo end: gpu-lost
# zoo documented: Xid 79 in the words of the driver, and torch's error of such a moment

import torch

model = torch.nn.Linear(1024, 1024, device="cuda")
while True:
    model(torch.randn(64, 1024, device="cuda")).sum().item()  # guilty
