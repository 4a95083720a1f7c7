"""A tensor of more bytes than can be had: torch's own allocator refuses."""
# zoo end: alloc-refused
# zoo needs: torch

import torch

attention = torch.empty(2_000_000, 2_000_000)  # guilty
