"""Double input from NumPy meets a float model."""
# zoo end: shape-mismatch
# zoo needs: torch

import numpy as np
import torch
from torch import nn

model = nn.Linear(8, 2)
x = torch.from_numpy(np.random.rand(4, 8))
model(x)  # guilty
