"""After some steps of training a loop never meets its condition."""
# zoo end: killed
# zoo root: no-progress
# zoo outcome: stuck
# zoo needs: torch
# zoo then: sleep 22; kill -TERM $PID

import os

import torch

model = torch.nn.Linear(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def search(rate):
    while rate != 0.3:  # guilty
        rate = rate + 0.1 if rate < 0.3 else 0.1  # guilty
    return rate


for step in range(10_000):
    optimizer.zero_grad()
    model(torch.randn(256, 64)).square().mean().backward()
    optimizer.step()
    if step == 200:
        open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
        search(0.1)
