"""A checkpoint of a model with another head is loaded."""
# zoo end: shape-mismatch
# zoo needs: torch

import torch
from torch import nn

torch.save(nn.Linear(16, 100).state_dict(), "old.pt")
model = nn.Linear(16, 10)
model.load_state_dict(torch.load("old.pt"))  # guilty
