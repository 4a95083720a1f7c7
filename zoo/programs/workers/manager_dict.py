"""A manager's dictionary, meant for a live display, keeps the embeddings of all epochs."""
# zoo end: worker-oom exception
# zoo root: host-leak
# zoo role: worker|main
# zoo memory: 300M
# zoo needs: numpy

import multiprocessing
import time

import numpy as np


def display(shown, closed):
    while not closed.wait(1.0):
        print("epochs", len(shown), flush=True)


def train(shown):
    generator = np.random.default_rng(2)
    points = generator.standard_normal((1500, 24))
    centre = np.zeros(24)
    for epoch in range(100_000):
        centre += 0.1 * (points.mean(axis=0) - centre)
        embedded = points - centre
        shown[epoch] = embedded  # guilty
        time.sleep(0.005)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        shown, closed = manager.dict(), context.Event()
        context.Process(target=display, args=(shown, closed), daemon=True).start()
        train(shown)
