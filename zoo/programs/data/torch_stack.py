"""Stacks all samples into one tensor: for a moment everything is there twice."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 1000M
# zoo needs: torch

import torch


def load_samples(count):
    return [torch.ones(3, 256, 256) for _ in range(count)]  # guilty


samples = load_samples(900)
data = torch.stack(samples)  # guilty
print(data.mean())
