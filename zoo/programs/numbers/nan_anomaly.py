"""Anomaly detection finds the first NaN in the backward pass."""
# zoo end: exception nan-loss
# zoo root: nan-loss
# zoo needs: torch

import torch

torch.autograd.set_detect_anomaly(True)
weight = torch.zeros(8, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(10):
    loss = (weight.sqrt() * 0).sum()
    optimizer.zero_grad()
    loss.backward()  # guilty
    optimizer.step()
