"""An index of -100 meant to be ignored reaches a gather."""
# zoo end: bad-label
# zoo needs: torch

import torch

log_probabilities = torch.log_softmax(torch.randn(4, 7), dim=1)
labels = torch.tensor([0, 3, -100, 6])
loss = -log_probabilities.gather(1, labels.unsqueeze(1)).mean()  # guilty
