"""A batch that does not fit on the GPU."""
# zoo end: cuda-oom
# zoo device: an H200
import torch

torch.cuda.set_per_process_memory_fraction(0.05)
model = torch.nn.Linear(4096, 4096, device="cuda")
for batch in (64, 4096, 1 << 19):
    x = torch.randn(batch, 4096, device="cuda")  # guilty
    model(x).relu().sum().backward()
