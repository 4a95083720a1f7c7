"""A validation far longer than any step, and busy all the time; somebody interrupts it."""
# zoo end: interrupted
# zoo needs: torch
# zoo then: sleep 22; kill -INT $PID

import os

import torch

model = torch.nn.Linear(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def validate():
    with torch.no_grad():
        for _ in range(10_000_000):
            model(torch.randn(256, 64))


open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
for _ in range(200):
    optimizer.zero_grad()
    model(torch.randn(256, 64)).square().mean().backward()
    optimizer.step()
validate()
