"""A closure keeps the gradients of every step to clip by their quantile."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 384M
# zoo needs: numpy

import argparse

import numpy as np


def adaptive_clip(quantile=0.9, warmup=20):
    """Clips gradients at a quantile of the norms so far."""
    past, sizes = [], []

    def norm(grads):
        return float(np.sqrt(sum((g**2).sum() for g in grads)))

    def clip(grads):
        past.append([g.copy() for g in grads])  # guilty
        now = norm(grads)
        sizes.append(now)
        if len(past) < warmup:
            return grads
        limit = np.quantile(sizes, quantile)
        return [g * (limit / now) for g in grads] if now > limit else grads

    return clip


def init(sizes, rng):
    return [rng.normal(scale=1 / np.sqrt(a), size=(a, b)) for a, b in zip(sizes, sizes[1:])]


def gradients(params, x, y):
    acts = [x]
    for w in params[:-1]:
        acts.append(np.tanh(acts[-1] @ w))
    out = acts[-1] @ params[-1]
    delta = 2 * (out - y) / len(x)
    loss = float(((out - y) ** 2).mean())
    grads = []
    for i in range(len(params) - 1, -1, -1):
        grads.append(acts[i].T @ delta)
        if i:
            delta = (delta @ params[i].T) * (1 - acts[i] ** 2)
    return loss, grads[::-1]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iterations", type=int, default=5000)
    ap.add_argument("--lr", type=float, default=0.01)
    a = ap.parse_args()
    rng = np.random.default_rng(0)
    params = init([64, 640, 640, 8], rng)
    clip = adaptive_clip()
    for it in range(a.iterations):
        x = rng.normal(size=(48, 64))
        y = np.sin(x[:, :8])
        loss, grads = gradients(params, x, y)
        for w, g in zip(params, clip(grads)):
            w -= a.lr * g
        if it % 20 == 0:
            print(it, round(loss, 4), flush=True)


main()
