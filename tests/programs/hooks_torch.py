"""Five steps of one optimizer, then four rounds with two."""

import hooks_busy
import torch

hooks_busy.work()
model = torch.nn.Linear(4, 1)
one = torch.optim.Adam(model.parameters())
two = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    model(torch.ones(8, 4)).mean().backward()
    one.step()
for _ in range(4):
    for optimizer in one, two:
        model(torch.ones(8, 4)).mean().backward()
        optimizer.step()
