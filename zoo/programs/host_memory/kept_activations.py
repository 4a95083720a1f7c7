"""A hook keeps the activations of every batch, until the machine itself has nothing left."""
# zoo end: host-oom
# zoo root: host-leak
# zoo device: a machine of its own, 40 GiB of its 128 free

import torch
from torch import nn

model = nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
activations = []
model.register_forward_hook(lambda module, inputs, output: activations.append(output))  # guilty

for step in range(10_000):
    batch = torch.ones(1 << 21, 64)
    loss = model(batch).mean()  # guilty
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
