"""A model too large for what the machine may still promise, though most of its memory is free."""
# zoo end: overcommit-limit
# zoo device: a machine of its own, vm.overcommit_memory=2 with 6 GiB left to promise

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))  # guilty


model = Tower(16384, 24)
print(sum(p.numel() for p in model.parameters()))
