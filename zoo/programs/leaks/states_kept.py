"""A copy of the weights is kept after every step, to average them later."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1200M
# zoo needs: torch

import copy

import torch
from torch import nn


class Averager:
    def __init__(self, model):
        self.model = model
        self.states = []

    def snapshot(self):
        self.states.append(copy.deepcopy(self.model.state_dict()))  # guilty


model = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 1))
averager = Averager(model)
optimizer = torch.optim.AdamW(model.parameters())
for step in range(100_000):
    loss = model(torch.randn(64, 512)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    averager.snapshot()
