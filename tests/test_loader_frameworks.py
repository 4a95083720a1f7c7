"""holdfast.Loader inside torch, Keras, pyarrow and h5py, each where it is installed."""

import os

import numpy as np
import pytest

from test_loader import Fine, found, images, make, numbers, records  # noqa: F401

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
    # Keras may look at a batch or two before it begins; the passes themselves are whole.
    assert sorted(np.concatenate(seen[-16:]).tolist()) == list(range(1000))
    assert sorted(np.concatenate(seen[-32:-16]).tolist()) == list(range(1000))


@pytest.mark.parametrize("shuffle", [False, True])
def test_parquet_and_arrow(tmp_path, shuffle):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    table = pa.table({"a": np.arange(5000), "b": np.arange(5000) / 2, "c": ["x"] * 5000})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=700)
    feather.write_feather(table, tmp_path / "t.feather", chunksize=700)
    for name in ("t.parquet", "t.feather"):
        options = {"columns": ["a", "b"], "batch": 64, "shuffle": shuffle, "budget": "32MiB"}
        with make(str(tmp_path / name), **options) as loader:
            first = np.concatenate([batch["a"].copy() for batch in loader])
            assert sorted(first.tolist()) == list(range(5000))
            assert (first == np.arange(5000)).all() != shuffle
            loader.set_epoch(0)
            batches = iter(loader)
            for _ in range(30):
                batch = next(batches)
                assert (batch["a"] == batch["b"] * 2).all()
            state = loader.state_dict()
        with make(str(tmp_path / name), **options) as again:
            again.load_state_dict(state)
            rest = np.concatenate([batch["a"].copy() for batch in again])
        assert (rest == first[1920:]).all()
        with make(str(tmp_path / name), columns=["a", "b"], labels="a", budget="32MiB") as loader:
            x, y = next(iter(loader))
            assert (x[:, 0] * 2 == y).all()


def test_a_row_group_larger_than_the_budget_is_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    from holdfast.loader import LoaderError

    pq.write_table(
        pa.table({"a": np.random.default_rng(0).normal(size=10**6)}), tmp_path / "t.parquet"
    )
    with pytest.raises(LoaderError, match="smaller row groups"):
        make(str(tmp_path / "t.parquet"), budget="24MiB")


def test_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    rows = np.arange(3000 * 4, dtype=np.float32).reshape(3000, 4)
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file.create_dataset("x", data=rows, chunks=(128, 4), compression="gzip")
        file.create_dataset("y", data=np.arange(3000))
    with make(str(tmp_path / "t.h5"), columns=["x"], labels="y", batch=64) as loader:
        seen = 0
        for x, y in loader:
            assert (x[:, 0] == y * 4).all()
            seen += len(x)
        assert seen == 3000


def test_batches_on_a_gpu_are_whole_and_slots_wait_for_their_copies(records):  # noqa: F811
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU here")
    source = (str(records / "x.npy"), str(records / "y.npy"))
    # Two slots: each one is used again and again, while the GPU is busy with something long.
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
