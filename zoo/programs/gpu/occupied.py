"""Another process holds nearly all of the GPU."""
# zoo end: gpu-occupied
# zoo device: an H200, with a second process holding 125 GiB
import torch

x = torch.empty(30 << 30, dtype=torch.uint8, device="cuda")  # guilty
