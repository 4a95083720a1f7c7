"""The learning rate is far too high; the loss becomes NaN and a check stops the run."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: torch

import math

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e6)


def step():
    x = torch.randn(64, 8)
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for i in range(100):
    value = step()
    if math.isnan(value):
        raise ValueError(f"loss is nan at step {i}")
