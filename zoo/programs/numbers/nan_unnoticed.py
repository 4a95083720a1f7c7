"""Nobody looks: the loss is NaN from the third step on, and the run finishes."""
# zoo end: clean-exit
# zoo also: nan-loss
# zoo needs: torch

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e30)
for _ in range(40):
    x = torch.randn(16, 8)
    loss = (model(x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
