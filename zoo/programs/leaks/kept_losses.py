"""Trains a small classifier and keeps every loss, graph and all, to plot it later."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 900M
# zoo needs: torch

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
history = []

for step in range(100_000):
    x = torch.randn(256, 1024)
    y = torch.randint(0, 10, (256,))
    optimizer.zero_grad()
    loss = criterion(model(x), y)  # guilty
    loss.backward(retain_graph=True)
    optimizer.step()
    history.append(loss)
