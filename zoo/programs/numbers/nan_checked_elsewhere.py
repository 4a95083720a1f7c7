"""A helper finds that the loss is infinite and says so in its own words; the loss is made elsewhere."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: torch

import math

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=2.0, momentum=0.9)
best = float("inf")


def watch(number, value):
    if not math.isfinite(value):
        raise ArithmeticError(f"training went astray at step {number}")


def main():
    for number in range(2000):
        x = torch.randn(128, 16)
        loss = (model(x).squeeze(1) - x.pow(2).sum(1)).pow(2).mean()  # guilty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        watch(number, loss.item())


main()
