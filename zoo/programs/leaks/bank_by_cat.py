"""A bank of past keys is replaced by a longer one at every step; the limit on it is never applied."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 700M
# zoo needs: torch

import torch
from torch import nn


class Bank(nn.Module):
    def __init__(self, width, most):
        super().__init__()
        self.most = most
        self.register_buffer("keys", torch.zeros(0, width))

    @torch.no_grad()
    def push(self, keys):
        self.keys = torch.cat([self.keys, keys])  # guilty
        if len(self.keys) > self.most:
            self.keys[-self.most :]


torch.manual_seed(0)
bank = Bank(256, most=4096)
query = nn.Linear(64, 256)
optimizer = torch.optim.SGD(query.parameters(), lr=0.01)
for _step in range(5000):
    made = query(torch.randn(1024, 64))
    bank.push(made.detach())
    loss = (made @ bank.keys[:512].T).logsumexp(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
