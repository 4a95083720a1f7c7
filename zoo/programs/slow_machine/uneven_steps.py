"""Other people's jobs come and go on the core that the training has."""
# zoo end: clean-exit
# zoo also: uneven-steps
# zoo needs: torch
# zoo tools: taskset timeout
# zoo run: taskset -c 0 {python} {file}
# zoo beside: while ! test -s ready; do sleep 0.1; done; sh {zoo}/neighbours/bursts.sh 3 1.2

import os
import time

import torch

torch.set_num_threads(1)
model = torch.nn.Linear(512, 512)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
batch = torch.randn(512, 512)
with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
    file.write(str(os.getpid()))
until = time.monotonic() + 26
while time.monotonic() < until:
    for _ in range(4):
        loss = model(batch).square().mean()
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
