"""All clips are read from disk at once, as fast as the disk gives them."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 500M
# zoo needs: numpy

import os

import numpy as np

path = os.path.join(os.environ["ZOO_DIR"], "clip.npy")
np.save(path, np.zeros((64, 64, 64), np.float32))


def load_clips(count):
    return [np.load(path) for _ in range(count)]  # guilty


clips = load_clips(2000)  # guilty
print(len(clips))
