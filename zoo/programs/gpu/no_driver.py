"""A script for a GPU on a machine without one."""
# zoo end: exception driver-too-old cuda-library-missing
# zoo needs: torch

import torch

model = torch.nn.Linear(4, 4)
model.to("cuda")  # guilty
