"""Finishes, on a GPU that slowed its clocks because of heat."""
# zoo end: clean-exit
# zoo also: gpu-throttled
# zoo documented: the clock event reasons as NVML numbers them

import torch

model = torch.nn.Linear(1024, 1024, device="cuda")
for _ in range(10_000):
    model(torch.randn(64, 1024, device="cuda")).sum().item()
