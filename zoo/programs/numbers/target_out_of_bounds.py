"""Labels are counted from 1; the last class falls outside the model's outputs."""
# zoo end: bad-label
# zoo needs: torch

import torch
from torch import nn

classes = 10
model = nn.Linear(32, classes)
criterion = nn.CrossEntropyLoss()


def train_step(x, y):
    return criterion(model(x), y)  # guilty


labels = torch.arange(1, classes + 1)
train_step(torch.randn(10, 32), labels)
