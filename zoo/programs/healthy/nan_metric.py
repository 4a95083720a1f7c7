"""A metric is NaN for an empty class; the loss is fine."""
# zoo end: clean-exit
# zoo needs: torch

import torch

model = torch.nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters())
for step in range(60):
    x = torch.randn(32, 8)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    recall = float("nan")
print("recall", recall, "loss", loss.item())
