"""torch finds a driver that is too old for its CUDA."""
# zoo end: driver-too-old
# zoo needs: torch
# zoo native: old_driver.c
# zoo before: mkdir driver && mv old_driver.so driver/libcuda.so.1
# zoo environment: LD_LIBRARY_PATH=driver

import torch

x = torch.zeros(8, device="cuda")  # guilty
