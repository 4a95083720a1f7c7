"""Reinforcement learning with a replay buffer that has no bound."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 900M
# zoo needs: torch

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(84 * 84, 4)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-4)
buffer = []


def observe():
    return torch.rand(8, 84 * 84)  # guilty


while True:
    state = observe()
    buffer.append(state)
    loss = policy(state).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
