"""A check of the program's own counts losses that are no numbers, and leaves with a status."""
# zoo end: exit-called
# zoo root: nan-loss
# zoo needs: torch

import sys

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
bad = 0
for number in range(2000):
    x = torch.randn(32, 8)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()  # guilty
    for group in optimizer.param_groups:
        group["lr"] *= 1.05
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    bad += not torch.isfinite(loss)
    if bad == 3:
        print("it diverged", file=sys.stderr)
        sys.exit(4)  # guilty
