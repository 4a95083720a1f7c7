"""Trains well, then loads the whole evaluation set at once and is killed."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram cgroup-oom
# zoo memory: 900M
# zoo needs: torch

import torch
from torch import nn

model = nn.Linear(256, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for _ in range(60):
    loss = model(torch.randn(64, 256)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

evaluation = torch.ones(4_000_000, 256)  # guilty
print(model(evaluation).mean())
