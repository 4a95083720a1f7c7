"""The forward-compatibility library on a GPU it is not for."""
# zoo end: driver-too-old
# zoo documented: CUDA's error 804 as torch words it

import torch

x = torch.ones(8, device="cuda")  # guilty
