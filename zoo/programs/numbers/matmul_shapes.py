"""The flattened features do not match the classifier's input."""
# zoo end: shape-mismatch
# zoo needs: torch

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = nn.Linear(8 * 31 * 31, 10)

    def forward(self, x):
        x = torch.relu(self.conv(x)).flatten(1)
        return self.head(x)  # guilty


Net()(torch.randn(4, 3, 32, 32))
