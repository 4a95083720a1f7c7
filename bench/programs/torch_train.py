"""Trains a perceptron of several layers on the CPU: narrow for small operations, wide for large."""

from __future__ import annotations

import loop
import torch

options = loop.options(width=128, batch=32, layers=3)
# One thread: idle OpenMP threads spin, and the CPU time they burn differs from run to run.
torch.set_num_threads(1)
torch.manual_seed(0)

layers: list[torch.nn.Module] = []
for _ in range(options.layers):
    layers += [torch.nn.Linear(options.width, options.width), torch.nn.ReLU()]
model = torch.nn.Sequential(*layers, torch.nn.Linear(options.width, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = torch.nn.CrossEntropyLoss()
inputs = torch.randn(options.batch * 16, options.width)
labels = torch.randint(0, 10, (options.batch * 16,))
losses = []
turn = 0


def step() -> None:
    global turn
    begin = turn % 16 * options.batch
    turn += 1
    optimizer.zero_grad()
    loss = criterion(
        model(inputs[begin : begin + options.batch]), labels[begin : begin + options.batch]
    )
    loss.backward()
    optimizer.step()
    losses.append(loss.item())


loop.measure(step, options.loops)
