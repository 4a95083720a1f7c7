"""A data-loading worker is stopped by SIGSTOP, and training waits for it."""
# zoo end: killed
# zoo root: loader-stall
# zoo role: worker
# zoo outcome: stuck
# zoo needs: torch
# zoo then: sleep 22; kill -TERM $PID

import os
import signal

import torch


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, number):
        if number == 80:
            os.kill(os.getpid(), signal.SIGSTOP)  # guilty
        return torch.randn(8), torch.randn(1)


model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = torch.utils.data.DataLoader(
    Numbers(), batch_size=4, num_workers=2, multiprocessing_context="fork"
)
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
for features, target in loader:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(features), target).backward()
    optimizer.step()
