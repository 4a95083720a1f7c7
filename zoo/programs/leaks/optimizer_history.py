"""An optimizer of one's own keeps every gradient in its state, in the middle of much else."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 640M
# zoo needs: torch

import time

import torch


class Averaged(torch.optim.Optimizer):
    def __init__(self, parameters, rate):
        super().__init__(parameters, {"rate": rate})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                past = self.state[parameter].setdefault("past", [])
                past.append(parameter.grad.clone())  # guilty
                parameter.sub_(group["rate"] * torch.stack(past[-3:]).mean(0))


model = torch.nn.Sequential(torch.nn.Linear(300, 500), torch.nn.ReLU(), torch.nn.Linear(500, 1))
optimizer = Averaged(model.parameters(), 0.01)
for number in range(5000):
    x = torch.randn(64, 300)
    loss = (model(x) - x[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.01)
