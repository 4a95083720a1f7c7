"""The epoch's sum of losses is a tensor: it keeps the graph of every batch."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1200M
# zoo needs: torch

import torch
from torch import nn


def epoch(model, optimizer, batches):
    total = 0
    for _ in range(batches):
        x = torch.randn(512, 512)  # guilty
        loss = model(x).pow(2).mean()  # guilty
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        total = total + loss  # guilty
    return total


net = nn.Sequential(nn.Linear(512, 512), nn.Tanh(), nn.Linear(512, 1))
print(epoch(net, torch.optim.SGD(net.parameters(), lr=1e-4), 100_000))
