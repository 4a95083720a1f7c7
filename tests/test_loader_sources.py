"""Lines, shards, arrays and datasets."""

import json
import tarfile

import numpy as np
import pytest
from PIL import Image

from support.loader import Fine, found, images, make, numbers, records  # noqa: F401


def test_csv_with_quotes_and_a_label(tmp_path):
    lines = [f'{n},"{n / 4}",{n % 3},"a\nb"' for n in range(500)]
    (tmp_path / "d.csv").write_text("a,b,kind,note\n" + "\n".join(lines) + "\n")
    with make(str(tmp_path / "d.csv"), columns=["a", "b"], labels="kind", batch=32) as loader:
        seen = 0
        for x, y in loader:
            assert x.dtype == np.float32
            assert y.dtype == np.int64
            assert (x[:, 0] == x[:, 1] * 4).all()
            assert (x[:, 0] % 3 == y).all()
            seen += len(x)
        assert seen == loader.samples == 500


def test_a_ragged_csv_names_its_line(tmp_path):
    from holdfast.loader import SampleError

    (tmp_path / "d.csv").write_text("a,b\n" + "1,2\n" * 50 + "1\n" + "1,2\n" * 50)
    with make(str(tmp_path / "d.csv"), shuffle=False) as loader:
        with pytest.raises(SampleError, match=r"d\.csv:52: 1 cells, where the first line has 2"):
            for _ in loader:
                pass


def test_csv_columns_of_text_are_told(tmp_path):
    from holdfast.loader import LoaderError

    (tmp_path / "d.csv").write_text("a,b\n1,red\n")
    with pytest.raises(LoaderError, match=r'column "b" holds text \("red"\)'):
        make(str(tmp_path / "d.csv"))


def test_lines_of_text_and_json(tmp_path):
    (tmp_path / "a.txt").write_text("".join(f"line {n} ü\n" for n in range(300)))
    with make(str(tmp_path / "a.txt"), batch=7, budget="1MiB") as loader:
        assert sorted(line for batch in loader for line in batch) == sorted(
            f"line {n} ü" for n in range(300)
        )
    rows = [{"x": [n, n / 2], "y": n, "t": "é" * (n % 9)} for n in range(300)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with make(str(tmp_path / "a.jsonl"), batch=7, shuffle=False) as loader:
        assert [row for batch in loader for row in batch] == rows
    with make(str(tmp_path / "a.jsonl"), batch=7, columns=["x", "y"]) as loader:
        for batch in loader:
            assert batch["y"].dtype == np.int64
            assert (batch["x"][:, 1] * 2 == batch["y"]).all()


def shard(path, entries):
    import io

    with tarfile.open(path, "w") as tar:
        for name, data in entries:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def test_tar_shards_of_images(images, tmp_path):  # noqa: F811
    files = sorted(images.rglob("*.*"))
    for number in range(2):
        shard(
            tmp_path / f"s{number}.tar",
            [
                entry
                for n, path in list(enumerate(files))[number::2]
                for entry in (
                    (f"long {'x' * 120}/{n:04d}{path.suffix.lower()}", path.read_bytes()),
                    (f"long {'x' * 120}/{n:04d}.cls", str(n).encode()),
                )
            ],
        )
    with make(f"{tmp_path}/s*.tar", size=(60, 80), batch=5) as loader:
        seen = {}
        for pictures, labels in loader:
            seen.update({int(label): picture.copy() for label, picture in zip(labels, pictures)})
    assert sorted(seen) == list(range(24))
    for number, path in enumerate(files):
        assert (seen[number] == np.asarray(Image.open(path).convert("RGB"))).all()


def test_tar_shards_of_anything(tmp_path):
    entries = [(f"{n}.{kind}", f"{kind}{n}".encode()) for n in range(20) for kind in ("txt", "bin")]
    shard(tmp_path / "s.tar", entries)
    with make(str(tmp_path / "s.tar"), columns=(), batch=3, shuffle=False) as loader:
        rows = [row for batch in loader for row in batch]
    assert rows[7] == {"__key__": "7", "txt": b"txt7", "bin": b"bin7"}
    assert len(rows) == 20


def test_a_cut_shard_is_refused(tmp_path):
    from holdfast.loader import LoaderError

    shard(tmp_path / "s.tar", [(f"{n}.txt", b"x" * 1000) for n in range(20)])
    whole = (tmp_path / "s.tar").read_bytes()
    (tmp_path / "s.tar").write_bytes(whole[:5000])
    with pytest.raises(LoaderError, match="truncated"):
        make(str(tmp_path / "s.tar"), columns=())


def test_raw_files_memory_maps_and_shards_of_npy(records):  # noqa: F811
    rows = np.load(records / "x.npy")
    rows.tofile(records / "x.raw")
    np.save(records / "part1.npy", rows[:300])
    np.save(records / "part2.npy", rows[300:])
    raw = {"dtype": "f4", "shape": (16,)}
    mapped = np.load(records / "x.npy", mmap_mode="r")
    for source, options in (
        (str(records / "x.raw"), raw),
        (mapped, {}),
        ([str(records / "part1.npy"), str(records / "part2.npy")], {}),
        (f"{records}/part*.npy", {}),
    ):
        with make(source, batch=64, shuffle=False, **options) as loader:
            assert (np.concatenate([batch.copy() for batch in loader]) == rows).all()


def test_datasets_iterators_and_arrays():
    from holdfast.loader import LoaderError

    with make(Fine(), batch=7) as loader:
        assert sorted(numbers(loader)) == list(range(200))
    with make(({"a": n, "b": "text"} for n in range(10)), batch=4) as loader:
        batches = list(loader)
        assert [batch["a"].tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
        assert batches[0]["b"] == ["text"] * 4
        with pytest.raises(TypeError):
            len(loader)
        with pytest.raises(LoaderError, match="used up"):
            list(loader)
    with pytest.raises(LoaderError, match="cannot be shuffled"):
        make(iter([1, 2]), shuffle=True)
    pair = (np.arange(100).reshape(50, 2), np.arange(50))
    with make(pair, batch=8) as loader:
        assert all((x[:, 0] == y * 2).all() for x, y in loader)
