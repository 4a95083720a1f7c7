"""torch.save on a full disk: its writer drops the reason."""
# zoo end: disk-full
# zoo disk: 10M
# zoo needs: torch

import os
import time

import torch
from torch import nn

model = nn.Linear(1000, 1000)
for epoch in range(10):
    time.sleep(0.3)
    torch.save(model.state_dict(), os.path.join(os.environ["ZOO_DIR"], "disk", f"{epoch}.pt"))  # guilty
