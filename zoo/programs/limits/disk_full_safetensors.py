"""safetensors on a full disk."""
# zoo end: disk-full
# zoo disk: 16M
# zoo needs: safetensors torch

import os

import torch
from safetensors.torch import save_file

state = {"weight": torch.randn(1024, 1024), "bias": torch.zeros(1024)}
for step in range(20):
    save_file(state, os.path.join(os.environ["ZOO_DIR"], "disk", f"{step}.safetensors"))  # guilty
