"""A likelihood of the program's own takes the logarithm of less than nothing; a check far away finds it."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: torch

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def likelihood(rate, counts):
    logs = torch.log(rate)  # guilty
    return rate - counts * logs


def loss_of(x, counts):
    return likelihood(model(x).squeeze(1) + 0.6, counts).mean()


for number in range(2000):
    x = torch.rand(16, 4)
    loss = loss_of(x, torch.poisson(x.sum(1)))
    if torch.isnan(loss):
        raise RuntimeError(f"bad loss in step {number}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
