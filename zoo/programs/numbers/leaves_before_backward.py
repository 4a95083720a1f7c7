"""The loss is looked at before the backward pass; the program leaves with a message."""
# zoo end: exit-called
# zoo root: nan-loss
# zoo needs: torch

import math
import sys

import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)


def step(number):
    x = torch.randn(32, 8) * (1 + number)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()  # guilty
    if not math.isfinite(loss.item()):
        sys.exit(f"training stopped in step {number}")  # guilty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for number in range(2000):
    step(number)
