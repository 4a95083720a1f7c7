"""One number is missing in the table; the loss function complains about the range of what it gets."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: torch

import torch

torch.manual_seed(0)
table = torch.rand(4000, 5)
table[3000, 2] = float("nan")
wanted = (table[:, 0] > 0.5).float()
model = torch.nn.Sequential(torch.nn.Linear(5, 20), torch.nn.ReLU(), torch.nn.Linear(20, 1))
optimizer = torch.optim.Adam(model.parameters())
measure = torch.nn.BCELoss()
for start in range(0, len(table), 50):
    x, y = table[start : start + 50], wanted[start : start + 50]
    share = torch.sigmoid(model(x)).squeeze(1)
    loss = measure(share, y)  # guilty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
