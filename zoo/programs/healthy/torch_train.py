"""Trains with warm-up growth: the optimizer's state appears once."""
# zoo end: clean-exit
# zoo memory: 900M
# zoo needs: torch

import torch
from torch import nn

model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 10))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(150):
    x = torch.randn(128, 512)
    loss = nn.functional.cross_entropy(model(x), torch.randint(0, 10, (128,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
