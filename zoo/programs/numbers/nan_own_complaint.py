"""The loss is no number for hundreds of steps; at the end the program is not content with its model."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: torch

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e3)
x = torch.randn(64, 16)
y = x.sum(1, keepdim=True)
for step in range(400):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)  # guilty
    loss.backward()
    optimizer.step()
with torch.no_grad():
    right = int(((model(x) > 0) == (y > 0)).sum())
if right < 48:
    raise RuntimeError(f"{right} of 64 right, model not saved")
