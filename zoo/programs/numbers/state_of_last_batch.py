"""A recurrent network carries its state from batch to batch; the last batch has fewer rows."""
# zoo end: shape-mismatch exception
# zoo root: shape-mismatch
# zoo needs: torch

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
signal = torch.randn(200, 12, 4)
cells = torch.nn.GRU(4, 16, batch_first=True)
head = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD([*cells.parameters(), *head.parameters()], lr=0.01)
state = torch.zeros(1, 32, 16)
for rows in signal.split(32):
    told, state = cells(rows, state)  # guilty
    state = state.detach()
    loss = head(told[:, -1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
