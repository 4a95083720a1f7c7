"""After training, the evaluation adds up losses that keep their graphs, through a method each."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 800M
# zoo needs: torch

import time

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 600)
        self.outer = nn.Linear(600, 1)

    def forward(self, x):
        return self.outer(torch.tanh(self.inner(x)))  # guilty


class Evaluation:
    def __init__(self, net):
        self.net = net

    def error(self, x):
        return (self.net(x) - x[:, :1]).abs().mean()  # guilty

    def run(self, batches):
        total = 0.0
        for x in batches:
            total = total + self.error(x)  # guilty
            time.sleep(0.04)
        return float(total)


def batches(count):
    for _ in range(count):
        yield torch.randn(900, 64)


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for x in batches(50):
    loss = (net(x) - x[:, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained", float(loss))
print(Evaluation(net).run(batches(5000)))
