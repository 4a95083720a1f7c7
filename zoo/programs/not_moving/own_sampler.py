"""A sampler of the program's own draws until it has enough of a class that is not there."""
# zoo end: killed
# zoo root: no-progress
# zoo outcome: stuck
# zoo needs: torch
# zoo then: sleep 20; kill -TERM $PID

import os
import random

import torch

random.seed(0)


class Sampler:
    def __init__(self, labels):
        self.labels = labels

    def draw(self, label, count):
        found = []
        while len(found) < count:  # guilty
            one = random.randrange(len(self.labels))  # guilty
            if self.labels[one] == label:  # guilty
                found.append(one)
        return found


model = torch.nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
sampler = Sampler([i % 2 for i in range(1000)])
for step in range(200):
    if step == 100:
        open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
    label = step % 2 if step < 100 else 2
    sampler.draw(label, 32)
    loss = model(torch.randn(32, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
