"""Free memory in pieces, none of them large enough."""
# zoo end: cuda-fragmentation
# zoo device: an H200
import torch

torch.cuda.set_per_process_memory_fraction(0.05)
warm_up = torch.empty(6 << 30, dtype=torch.uint8, device="cuda")
del warm_up
blocks = [torch.empty(32 << 20, dtype=torch.uint8, device="cuda") for _ in range(190)]
del blocks[::2]
big = torch.empty(2 << 30, dtype=torch.uint8, device="cuda")  # guilty
