"""Pictures are sampled from the model after an epoch, for long; somebody has no patience."""
# zoo end: killed
# zoo needs: torch
# zoo then: sleep 16; kill -TERM $PID

import os

import torch


class Trainer:
    def sample_pictures(self, model):
        x = torch.randn(64, 8)
        while True:
            x = model(x).tanh()


model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(100):
    loss = model(torch.randn(32, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
Trainer().sample_pictures(model)
