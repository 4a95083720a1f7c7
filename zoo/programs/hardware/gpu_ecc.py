"""Trains on a GPU whose memory has an error it cannot correct."""
# zoo end: gpu-ecc
# zoo documented: Xid 48 and 95 in the words of the driver, and CUDA's error 214

import torch

model = torch.nn.Linear(1024, 1024, device="cuda")
while True:
    model(torch.randn(64, 1024, device="cuda")).sum().item()  # guilty
