"""Losses are kept with their graphs, on the GPU."""
# zoo end: cuda-oom
# zoo root: gpu-leak
# zoo device: an H200
import torch

torch.cuda.set_per_process_memory_fraction(0.02)
model = torch.nn.Sequential(torch.nn.Linear(2048, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
losses = []
while True:
    loss = model(torch.randn(1024, 2048, device="cuda")).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    losses.append(loss)  # guilty
