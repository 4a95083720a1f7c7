"""The step is too large and the weights run away; the logarithm in the loss only meets them."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: torch

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=30.0)


def loss_of(x, y):
    guess = model(x).squeeze(1)
    size = torch.log(guess.abs() + 1)
    return (guess - y).square().mean() + 1e-3 * size.mean()


for number in range(2000):
    x = torch.rand(16, 4)
    loss = loss_of(x, x.sum(1))  # guilty
    if not torch.isfinite(loss):
        raise RuntimeError(f"bad loss in step {number}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
