"""Validation after every epoch collects the raw outputs of all batches in a list of the class."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 900M
# zoo needs: torch

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Linear(512, 4096)
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.outputs = []

    def train_epoch(self):
        for _ in range(10):
            x = torch.randn(128, 512)
            loss = self.model(x).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self):
        for _ in range(4):
            x = torch.randn(256, 512)
            self.outputs.append(self.model(x))  # guilty


trainer = Trainer()
for epoch in range(10_000):
    trainer.train_epoch()
    trainer.validate()
