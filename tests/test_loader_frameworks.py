"""holdfast.Loader with torch, Keras, pyarrow and h5py, each if it is installed."""

import os

import numpy as np
import pytest

from support.loader import Fine, found, images, make, numbers, records  # noqa: F401

pytestmark = pytest.mark.check


def test_batches_are_tensors_of_the_same_memory(records):  # noqa: F811
    torch = pytest.importorskip("torch")
    source = (str(records / "x.npy"), str(records / "y.npy"))
    with make(source, batch=10, as_="torch") as loader:
        x, y = next(iter(loader))
        assert isinstance(x, torch.Tensor)
        assert (x[:, 0] == y * 16).all()
        assert loader.stats()["held"] == 1
        part = x[3]
        del x, y
        assert loader.stats()["held"] == 1
        del part
        assert loader.stats()["held"] == 0


def test_bfloat16_is_a_tensor(images):  # noqa: F811
    torch = pytest.importorskip("torch")
    with make(str(images), size=8, dtype="bfloat16", as_="torch") as loader:
        assert next(iter(loader)).dtype == torch.bfloat16


def test_inside_a_dataloader(records):  # noqa: F811
    data = pytest.importorskip("torch.utils.data")
    from holdfast.loader import LoaderError

    with make(str(records / "x.npy"), batch=64, as_="torch") as loader:
        whole = data.DataLoader(loader.torch(), batch_size=None)
        assert len(whole) == 16
        for _ in range(2):
            assert sum(len(batch) for batch in whole) == 1000
        with pytest.raises(LoaderError, match="num_workers=0"):
            list(data.DataLoader(loader.torch(), batch_size=None, num_workers=1))


def test_like_takes_over_a_dataset(records):  # noqa: F811
    data = pytest.importorskip("torch.utils.data")
    from holdfast import Loader

    torch_loader = data.DataLoader(Fine(), batch_size=16, shuffle=True, drop_last=True)
    with Loader.like(torch_loader, budget="4MiB") as loader:
        batches = [(x.clone(), y.clone()) for x, y in loader]
    assert [len(y) for _, y in batches] == [16] * 12
    assert all((x[:, 0] == y).all() for x, y in batches)


def test_like_takes_over_an_image_folder(images):  # noqa: F811
    data = pytest.importorskip("torch.utils.data")
    torchvision = pytest.importorskip("torchvision")
    from holdfast import Loader

    transform = torchvision.transforms.ToTensor()
    folder = torchvision.datasets.ImageFolder(str(images), transform)
    theirs = data.DataLoader(folder, batch_size=5)
    with Loader.like(theirs, budget="16MiB") as ours:
        for (x, y), (a, b) in zip(ours, theirs):
            assert (y == b).all()
            assert (x == a).all()


def test_keras_trains_on_every_sample_once(records):  # noqa: F811
    os.environ.setdefault("KERAS_BACKEND", "torch")
    keras = pytest.importorskip("keras")
    source = (str(records / "x.npy"), str(records / "y.npy"))
    with make(source, batch=64) as loader:
        data = loader.keras()
        seen = []

        class Seen(type(data)):
            def __getitem__(self, index):
                batch = super().__getitem__(index)
                seen.append(batch[1].copy())
                return batch

        data.__class__ = Seen
        model = keras.Sequential([keras.layers.Dense(1)])
        model.compile(loss="mse", optimizer="sgd")
        model.fit(data, epochs=2, verbose=0)
        assert loader.epoch >= 2
    # Keras may read a batch or two before it begins; the passes themselves are whole.
    assert sorted(np.concatenate(seen[-16:]).tolist()) == list(range(1000))
    assert sorted(np.concatenate(seen[-32:-16]).tolist()) == list(range(1000))


def test_batches_on_a_gpu_are_whole_and_slots_wait_for_their_copies(records):  # noqa: F811
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU here")
    source = (str(records / "x.npy"), str(records / "y.npy"))
    # Two slots: each is used again and again while the GPU works on something long.
    with make(source, batch=100, budget="32KiB", as_="torch", device="cuda") as loader:
        busy = torch.randn(4096, 4096, device="cuda")
        seen = []
        for _ in range(3):
            for x, y in loader:
                assert x.device.type == "cuda"
                for _ in range(5):
                    busy = torch.tanh(busy @ busy)
                seen.append((x, y))
        assert sorted(torch.cat([y for _, y in seen[:10]]).tolist()) == list(range(1000))
        assert all(bool((x[:, 0] == y * 16).all()) for x, y in seen)
    with make(source, batch=64, as_="torch", device="cuda") as loader:
        assert loader.stats()["held"] == 0
