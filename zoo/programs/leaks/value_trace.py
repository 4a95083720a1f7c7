"""A critic's baselines are kept with the graphs that made them."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1000M
# zoo needs: torch

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Critic(nn.Module):
    def __init__(self, obs, hidden):
        super().__init__()
        self.inp = nn.Linear(obs, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h = torch.tanh(self.inp(x))  # guilty
        return self.out(h).squeeze(-1)  # guilty


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(24, 64), nn.Tanh(), nn.Linear(64, 4))
        self.critic = Critic(24, 512)
        self.target = Critic(24, 512)
        self.opt = torch.optim.Adam([*self.actor.parameters(), *self.critic.parameters()], lr=3e-4)
        self.value_trace = []

    def update(self, obs, reward):
        dist = torch.distributions.Categorical(logits=self.actor(obs))
        action = dist.sample()
        value = self.critic(obs)
        advantage = (reward - value).detach()
        loss = -(dist.log_prob(action) * advantage).mean() + (value - reward).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        baseline = self.target(obs)  # guilty
        self.value_trace.append(baseline.mean())  # guilty
        return loss.item()


agent = Agent()
for update in range(3000):
    obs = torch.randn(5000, 24)
    loss = agent.update(obs, obs[:, 0].sign())
    if update % 5 == 0:
        drift = (agent.value_trace[-1] - agent.value_trace[0]).item()
        print(f"update {update} loss {loss:.3f} value drift {drift:.3f}", flush=True)
