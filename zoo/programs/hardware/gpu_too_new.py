"""A wheel without code for this GPU."""
# zoo end: gpu-unsupported
# zoo documented: CUDA's error 209 as torch words it

import torch

x = torch.ones(8, device="cuda") * 2  # guilty
