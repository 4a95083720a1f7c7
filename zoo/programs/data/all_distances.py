"""Between two epochs every item is compared with every other: one call asks for more than the limit."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 700M
# zoo needs: torch

import torch
from torch import nn

torch.manual_seed(1)
items = torch.randn(24_000, 16)
net = nn.Linear(16, 8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)


@torch.no_grad()
def closest():
    z = net(items)
    apart = torch.cdist(z, z)  # guilty
    return apart.argmin(dim=1)


for _epoch in range(3):
    for _ in range(40):
        pick = torch.randint(0, len(items), (128,))
        loss = (net(items[pick]) - net(items[pick].roll(1, 0))).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    closest()
