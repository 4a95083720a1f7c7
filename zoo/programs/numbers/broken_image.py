"""One truncated image among many."""
# zoo end: bad-input
# zoo needs: PIL numpy

import numpy as np
from PIL import Image

for i in range(5):
    pixels = np.random.default_rng(i).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(f"{i}.png")
with open("3.png", "r+b") as file:
    file.truncate(2000)


def load(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))  # guilty


print(np.stack([load(f"{i}.png") for i in range(5)]).mean())
