"""Trains a small network with NumPy, and keeps more than it should.

Every fourth batch's activations are kept "for plotting later": memory grows until it is full."""

import sys

import numpy as np

BATCH = 256
HIDDEN = 512
STEPS = 20_000
LEARNING_RATE = 0.1


def spirals(rng, count):
    """Points of two interleaved spirals, and which of the two each belongs to."""
    label = rng.integers(0, 2, count)
    turn = np.sqrt(rng.random(count)) * 4 * np.pi
    angle = turn + np.pi * label
    points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=1) / 12
    points += rng.normal(0, 0.04, points.shape)
    return points.astype(np.float32), label.astype(np.float32)


def features(points):
    """Sines and cosines of the coordinates: enough for one hidden layer to see a spiral."""
    waves = [wave(points * scale) for scale in (2, 4, 8) for wave in (np.sin, np.cos)]
    return np.concatenate([points, *waves], axis=1, dtype=np.float32)


class Network:
    """One hidden layer, one logistic output."""

    def __init__(self, rng, inputs):
        self.w1 = rng.normal(0, inputs**-0.5, (inputs, HIDDEN)).astype(np.float32)
        self.b1 = np.zeros(HIDDEN, np.float32)
        self.w2 = rng.normal(0, HIDDEN**-0.5, HIDDEN).astype(np.float32)
        self.b2 = np.float32(0)

    def forward(self, x):
        hidden = np.maximum(x @ self.w1 + self.b1, 0)
        return hidden, 1 / (1 + np.exp(-(hidden @ self.w2 + self.b2)))

    def sgd_step(self, x, hidden, error):
        upstream = np.outer(error, self.w2) * (hidden > 0)
        self.w2 -= LEARNING_RATE * hidden.T @ error
        self.b2 -= LEARNING_RATE * error.sum()
        self.w1 -= LEARNING_RATE * x.T @ upstream
        self.b1 -= LEARNING_RATE * upstream.sum(axis=0)


def train():
    rng = np.random.default_rng(7)
    points, labels = spirals(rng, 20_000)
    inputs = features(points)
    network = Network(rng, inputs.shape[1])
    history = []
    try:
        for step in range(STEPS):
            pick = rng.integers(0, len(inputs), BATCH)
            x, y = inputs[pick], labels[pick]
            hidden, guess = network.forward(x)
            network.sgd_step(x, hidden, (guess - y) / BATCH)

            if step % 4 == 0:
                history.append(hidden)  # "for plotting later"

            if step % 200 == 0:
                right = np.mean((guess > 0.5) == (y > 0.5))
                loss = -np.mean(np.log(np.where(y > 0.5, guess, 1 - guess) + 1e-7))
                print(f"step {step:4}  loss {loss:.3f}  accuracy {right:.0%}", flush=True)
    except MemoryError as error:
        if len(sys.argv) < 2:
            raise
        # Memory ran out, and there was an error to catch: let go of what can be spared, and save.
        history.clear()
        np.savez(sys.argv[1], w1=network.w1, b1=network.b1, w2=network.w2, b2=network.b2)
        print(f"step {step:4}  caught: {error}")
        print(f"step {step:4}  saved to {sys.argv[1]}; ending well", flush=True)


if __name__ == "__main__":
    train()
