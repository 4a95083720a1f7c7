"""A DataLoader worker meets an unreadable image; the parent raises it again."""
# zoo end: bad-input
# zoo needs: torch PIL numpy

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

for i in range(8):
    Image.fromarray(np.zeros((8, 8, 3), dtype=np.uint8)).save(f"{i}.png")
open("5.png", "w").write("oops")


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        image = Image.open(f"{index}.png")  # guilty
        return torch.from_numpy(np.asarray(image).copy())


if __name__ == "__main__":
    for batch in DataLoader(Images(), batch_size=2, num_workers=2):  # guilty
        print(batch.shape)
