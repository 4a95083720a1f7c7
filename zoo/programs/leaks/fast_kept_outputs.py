"""Every output is kept with the graph behind it, in steps of a few milliseconds."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1000M
# zoo needs: torch

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 256))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
outputs = []


def step(x):
    out = model(x)  # guilty
    loss = (out - x).square().mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    outputs.append(out)  # guilty


while True:
    step(torch.randn(1024, 256))
