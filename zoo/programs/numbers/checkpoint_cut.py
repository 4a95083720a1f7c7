"""A checkpoint whose writer was killed in the middle."""
# zoo end: checkpoint-corrupt
# zoo needs: torch

import torch
from torch import nn

torch.save(nn.Linear(1000, 1000).state_dict(), "last.pt")
with open("last.pt", "r+b") as file:
    file.truncate(1_500_000)
state = torch.load("last.pt")  # guilty
