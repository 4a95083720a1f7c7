"""A hand-written training loop that keeps its gradients for debugging."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 300M
# zoo needs: numpy

import numpy as np

rng = np.random.default_rng(0)
weights = rng.random((400, 400))
gradients = []
for step in range(100_000):
    x = rng.random((200, 400))
    error = x @ weights - x
    gradient = x.T @ error / len(x)  # guilty
    weights -= 1e-4 * gradient
    gradients.append(gradient)
