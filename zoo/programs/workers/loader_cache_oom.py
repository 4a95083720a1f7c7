"""Every loader worker caches all samples it has ever decoded."""
# zoo end: worker-oom cgroup-oom
# zoo root: host-leak worker-oom worker-copies
# zoo role: worker|main
# zoo memory: 1300M
# zoo needs: torch

import torch
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self):
        self.cache = {}

    def __len__(self):
        return 20_000

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = torch.full((512, 512), float(i))  # guilty
        return self.cache[i].mean()


if __name__ == "__main__":
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for batch in DataLoader(Cached(), batch_size=4, num_workers=2):
        loss = model(batch[:, None]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
