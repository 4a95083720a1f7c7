"""torch below ulimit -v: DefaultCPUAllocator cannot have what the machine could give."""
# zoo end: address-limit
# zoo root: address-limit host-leak
# zoo limits: -v 9000000
# zoo needs: torch

import torch

batches = []
for i in range(200):
    batches.append(torch.ones(64, 1024, 512))  # guilty
