"""Makes the data that the measurements read; kept between runs."""

import io
import json
import tarfile
from pathlib import Path

import numpy as np


def _picture(random: np.random.Generator, width: int, height: int):
    from PIL import Image

    small = random.integers(0, 256, (height // 24, width // 24, 3), dtype=np.uint8)
    image = np.asarray(Image.fromarray(small).resize((width, height), Image.BICUBIC), np.int16)
    noise = random.integers(-10, 11, image.shape, dtype=np.int16)
    return Image.fromarray(np.clip(image + noise, 0, 255).astype(np.uint8))


def make(folder: Path) -> Path:
    """Everything below ``folder``; existing data stays."""
    done = folder / "done"
    if done.exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    for kind, count, size, options in (
        ("jpeg", 512, (500, 375), {"quality": 90}),
        ("progressive", 48, (1600, 1200), {"quality": 90, "progressive": True}),
        ("png", 128, (500, 375), {}),
    ):
        for number in range(count):
            place = folder / kind / f"class{number % 8}"
            place.mkdir(parents=True, exist_ok=True)
            ending = "png" if kind == "png" else "jpg"
            _picture(random, *size).save(place / f"{number:05d}.{ending}", **options)
    rows = np.lib.format.open_memmap(folder / "x.npy", "w+", "f4", (600_000, 512))  # 1.14 GiB
    for start in range(0, len(rows), 20_000):
        rows[start : start + 20_000] = random.random((20_000, 512), np.float32)
    rows.flush()
    np.save(folder / "y.npy", np.arange(len(rows)))
    np.save(folder / "small.npy", random.random((400_000, 32), np.float32))
    table = random.random((200_000, 20))
    with (folder / "d.csv").open("w") as out:
        out.write(",".join(f"c{i}" for i in range(20)) + ",label\n")
        for number, row in enumerate(table):
            out.write(",".join(f"{value:.6f}" for value in row) + f",{number % 10}\n")
    with (folder / "d.jsonl").open("w") as out:
        for number, row in enumerate(table[:100_000]):
            out.write(json.dumps({"x": row.round(5).tolist(), "y": number}) + "\n")
    with (folder / "d.txt").open("w") as out:
        for number in range(400_000):
            out.write("word " * (number % 40) + "\n")
    for shard in range(4):
        with tarfile.open(folder / f"s{shard}.tar", "w") as tar:
            for number, path in enumerate(sorted((folder / "jpeg").rglob("*.jpg"))[shard::4]):
                for ending, body in (("jpg", path.read_bytes()), ("cls", str(number).encode())):
                    info = tarfile.TarInfo(f"{shard}-{number:05d}.{ending}")
                    info.size = len(body)
                    tar.addfile(info, io.BytesIO(body))
    _borrowed(folder, table)
    done.touch()
    return folder


def _borrowed(folder: Path, table: np.ndarray) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {f"c{i}": np.tile(table[:, i], 4) for i in range(20)}
        pq.write_table(pa.table(columns), folder / "d.parquet", row_group_size=40_000)
    except ImportError:
        pass
    try:
        import h5py

        with h5py.File(folder / "d.h5", "w") as file:
            file.create_dataset("x", data=np.tile(table, (4, 1)), chunks=(1000, 20))
    except ImportError:
        pass
