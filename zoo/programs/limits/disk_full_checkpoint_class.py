"""A checkpoint with the optimizer's state is saved through an open file; the disk is full."""
# zoo end: disk-full exception
# zoo root: disk-full
# zoo disk: 10M
# zoo needs: torch

import os

import torch
from torch import nn


class Checkpoints:
    def __init__(self, folder):
        self.folder = folder

    def keep(self, number, **state):
        with open(os.path.join(self.folder, f"{number:04d}.ckpt"), "wb") as file:
            torch.save(state, file)  # guilty


model = nn.Linear(700, 700)
optimizer = torch.optim.Adam(model.parameters())
checkpoints = Checkpoints(os.path.join(os.environ["ZOO_DIR"], "disk"))
for step in range(20):
    optimizer.zero_grad()
    model(torch.randn(8, 700)).square().mean().backward()
    optimizer.step()
    checkpoints.keep(step, model=model.state_dict(), optimizer=optimizer.state_dict())
