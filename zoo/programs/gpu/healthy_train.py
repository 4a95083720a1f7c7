"""Trains on the GPU, with a plateau after warm-up."""
# zoo end: clean-exit
# zoo device: an H200
import torch

model = torch.nn.Linear(1024, 1024, device="cuda")
optimizer = torch.optim.Adam(model.parameters())
for _ in range(300):
    loss = model(torch.randn(512, 1024, device="cuda")).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
