"""A function of its own decodes each compressed part; a comprehension keeps them all."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 250M
# zoo needs: numpy

import pathlib

import numpy as np

folder = pathlib.Path("parts")
folder.mkdir(exist_ok=True)
pattern = np.arange(1_500_000, dtype=np.uint8) % 11
for number in range(50):
    np.savez_compressed(folder / f"{number:02}.npz", frames=np.roll(pattern, number))


def sharpened(path):
    with np.load(path) as part:
        frames = part["frames"].astype(np.float32)
    return np.clip(frames * 1.2 - 0.1, 0, 10)  # guilty


parts = [sharpened(path) for path in sorted(folder.glob("*.npz"))]  # guilty
print(len(parts))
