"""Small data for holdfast.Loader, and how the tests make one."""

import numpy as np
import pytest
from PIL import Image

MIB = 1 << 20


@pytest.fixture(autouse=True)
def found(binary, monkeypatch):
    """The library is beside the program."""
    monkeypatch.setenv("HOLDFAST_BIN", str(binary))


@pytest.fixture
def records(tmp_path):
    """A thousand rows that contain their own number."""
    rows = np.arange(1000 * 16, dtype=np.float32).reshape(1000, 16)
    np.save(tmp_path / "x.npy", rows)
    np.save(tmp_path / "y.npy", np.arange(1000))
    return tmp_path


@pytest.fixture
def images(tmp_path):
    """Two classes; names with blanks and letters beyond ASCII; JPEG and PNG."""
    random = np.random.default_rng(0)
    for number in range(24):
        folder = tmp_path / "train" / ("a cat" if number % 2 else "b hünd")
        folder.mkdir(parents=True, exist_ok=True)
        pixels = random.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        image = Image.fromarray(pixels).resize((80, 60), Image.BICUBIC)
        image.save(folder / f"{number:03d} ß{'.png' if number % 3 == 0 else '.JPG'}")
    return tmp_path / "train"


def make(*arguments, **options):
    from holdfast import Loader

    return Loader(*arguments, **{"as_": "numpy", "budget": "8MiB", "threads": 2, **options})


def numbers(loader):
    return np.concatenate([labels.copy() for _, labels in loader]).tolist()


class Fine:
    """A dataset of two hundred samples that contain their own number."""

    def __len__(self):
        return 200

    def __getitem__(self, index):
        return np.full(4, index, np.float32), index
