"""Programs that only just fit, as people write them. Run one by its name, or --list them.

Written before the guard was last changed, to see whether it disturbs kinds it was not made with.
"""

import asyncio
import collections
import concurrent.futures
import contextlib
import csv
import functools
import gc
import gzip
import json
import lzma
import mmap
import multiprocessing
import os
import queue
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import MIB, Catalogue, file_pages, limit, usage

healthy = Catalogue()
_highest = [0.0]


def look() -> None:
    _highest[0] = max(_highest[0], (usage() - file_pages()) / limit())


def finish(body) -> int:
    body()
    look()
    print(f"reached {_highest[0]:.1%}", flush=True)
    return 0


def hold(share: float, piece: int = MIB) -> list:
    """The memory of the rest of the program: until so much of the limit is in use."""
    kept = []
    while usage() - file_pages() + piece < share * limit():
        kept.append(b"x" * piece)
    look()
    return kept


def _folder() -> Path:
    return Path(tempfile.mkdtemp(dir=os.environ.get("HF_SCRATCH", "/var/tmp"), prefix="hold-out-"))


# ---- plain Python ----


@healthy.add(256, "json")
def window_at_95():
    kept = hold(0.90)
    window = collections.deque(maxlen=60)
    for i in range(3_000):
        window.append(bytes([i % 256]) * 200_000)
    look()
    return kept, window


@healthy.add(256, "json")
def bounded_cache_at_95():
    kept = hold(0.90)

    @functools.lru_cache(maxsize=40)
    def load(i):
        return [i] * 30_000

    for i in range(3_000):
        load(i % 97)
    look()
    return kept


@healthy.add(256, "json")
def cycles_collected_at_90():
    kept = hold(0.86)
    for i in range(400):
        a, b = {"data": [i] * 4_000}, {}
        a["other"], b["other"] = b, a
    gc.collect()
    look()
    return kept


@healthy.add(256, "json")
def csv_streamed_at_96():
    kept = hold(0.95)
    path = _folder() / "a.csv"
    with path.open("w") as file:
        for i in range(150_000):
            file.write(f"{i},name {i},{i * 2}\n")
    with path.open() as file:
        total = sum(int(row[2]) for row in csv.reader(file))
    look()
    return kept, total


@healthy.add(256, "json")
def gzip_streamed_at_96():
    kept = hold(0.94)
    path = _folder() / "a.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(60):
            file.write(os.urandom(MIB // 2) + bytes(MIB // 2))
    with gzip.open(path) as file:
        total = sum(len(piece) for piece in iter(lambda: file.read(MIB), b""))
    look()
    return kept, total


@healthy.add(256, "json")
def lzma_best_at_70():
    kept = hold(0.55)
    packed = lzma.compress(b"".join(b"%d words\n" % i for i in range(40_000)), preset=8)
    look()
    return kept, len(packed)


@healthy.add(256, "json")
def json_round_trips_at_94():
    kept = hold(0.88)
    value = {"rows": [{"i": i, "t": str(i)} for i in range(8_000)]}
    for _ in range(40):
        value = json.loads(json.dumps(value))
        look()
    return kept


@healthy.add(256, "json")
def asyncio_workers_at_93():
    kept = hold(0.88)

    async def work(jobs):
        while (size := await jobs.get()) is not None:
            data = bytearray(size)
            data[::4096] = b"x" * len(data[::4096])
            await asyncio.sleep(0)
            look()

    async def main():
        jobs = asyncio.Queue(8)
        workers = [asyncio.create_task(work(jobs)) for _ in range(4)]
        for _ in range(300):
            await jobs.put(MIB)
        for _ in workers:
            await jobs.put(None)
        await asyncio.gather(*workers)

    asyncio.run(main())
    return kept


@healthy.add(256, "json")
def bounded_queue_at_95():
    kept = hold(0.89)
    waiting = queue.Queue(10)

    def produce():
        for i in range(1_000):
            waiting.put([i] * 20_000)
        waiting.put(None)

    thread = threading.Thread(target=produce)
    thread.start()
    while waiting.get() is not None:
        look()
    thread.join()
    return kept


@healthy.add(256, "json")
def threads_of_strings_at_95():
    kept = hold(0.85)

    def work():
        while usage() - file_pages() < 0.945 * limit():
            kept.append([str(i) for i in range(1_000)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    look()
    return kept


@healthy.add(512, "json")
def executor_downloads_at_95():
    kept = hold(0.93)

    def download(i):
        data = os.urandom(300_000)
        time.sleep(0.001)
        return len(data) + i

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        total = sum(pool.map(download, range(600)))
    look()
    return kept, total


@healthy.add(256, "json")
def caught_and_tried_again():
    """Asks for more than can ever be granted, by its own error, and goes on with less."""
    size = 1 << 60
    while True:
        try:
            data = bytearray(size)
            break
        except MemoryError:
            size //= 4
            if size < limit():
                size = limit() // 2
    look()
    return data


@healthy.add(256, "json")
def own_urgent_signal_at_97():
    calls = []
    signal.signal(signal.SIGURG, lambda *_: calls.append(1))
    kept = hold(0.97)
    os.kill(os.getpid(), signal.SIGURG)
    time.sleep(0.05)
    assert len(calls) == 1, calls
    return kept


@healthy.add(256, "json")
def mapped_file_written_at_90():
    kept = hold(0.88)
    path = _folder() / "a"
    with path.open("wb+") as file:
        file.truncate(limit())
        with mmap.mmap(file.fileno(), 0) as mapped:
            for at in range(0, len(mapped), 64 << 10):
                mapped[at] = 1
    look()
    return kept


@healthy.add(256, "json")
def files_copied_at_96():
    import shutil

    kept = hold(0.955)
    folder = _folder()
    (folder / "a").write_bytes(os.urandom(MIB) * 1)
    for i in range(150):
        shutil.copyfile(folder / "a", folder / f"b{i}")
    look()
    return kept


@healthy.add(256, "json")
def commands_at_94():
    kept = hold(0.935)
    for i in range(20):
        out = subprocess.run(["/bin/sh", "-c", f"seq 1 {i * 1000} | wc -l"], capture_output=True)
        assert out.returncode == 0
    look()
    return kept


@healthy.add(256, "json")
def sqlite_sorted_at_90():
    kept = hold(0.80)
    database = sqlite3.connect(":memory:")
    database.execute("create table t (a integer, b text)")
    database.executemany(
        "insert into t values (?, ?)", ((i * 7919 % 10007, str(i)) for i in range(150_000))
    )
    for _ in database.execute(
        "select a, count(*), group_concat(b) from t group by a order by a desc"
    ):
        pass
    look()
    return kept


def _square(i):
    data = [i] * 100_000
    return sum(data)


@healthy.add(512, "json")
def pool_many_tasks_at_85():
    kept = hold(0.75)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        total = sum(pool.imap_unordered(_square, range(400), chunksize=4))
        look()
    return kept, total


@healthy.add(512, "json")
def pool_that_recycles_at_80():
    kept = hold(0.7)
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=5) as pool:
        total = sum(pool.map(_square, range(40), chunksize=1))
        look()
    return kept, total


@healthy.add(512, "json")
def children_share_at_90():
    """Forked readers that only read big objects; little of it is copied."""
    data = [b"x" * MIB for _ in range(int(limit() * 0.82) // MIB)]

    def read():
        sum(len(one) for one in data)
        time.sleep(0.2)

    children = [multiprocessing.get_context("fork").Process(target=read) for _ in range(3)]
    for child in children:
        child.start()
    look()
    for child in children:
        child.join()
        assert child.exitcode == 0, "a reader failed"


@healthy.add(256, "json")
def restarts_itself_at_90():
    if "HF_AGAIN" not in os.environ:
        hold(0.9)
        os.environ["HF_AGAIN"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    return hold(0.93)


# ---- NumPy, pandas and the like ----


@healthy.add(512)
def numpy_in_place_at_97():
    import numpy as np

    whole = np.ones(int(limit() * 0.96 - usage() + file_pages()) // 8)
    for _ in range(5):
        whole *= 1.01
        np.sqrt(whole, out=whole)
    look()
    return whole


@healthy.add(512)
def numpy_memmap_batches_at_90():
    import numpy as np

    kept = hold(0.85)
    path = _folder() / "a.npy"
    data = np.lib.format.open_memmap(path, "w+", "f4", (200_000, 512))
    data[:2_000] = 1
    for at in range(0, 60_000, 2_000):
        batch = np.array(data[at : at + 2_000])
        batch -= batch.mean(0)
        look()
    return kept


@healthy.add(512)
def numpy_preallocated_and_filled_at_94():
    import numpy as np

    out = np.empty((int(limit() * 0.8) // 8 // 1000, 1000))
    for row in range(len(out)):
        out[row] = row
    kept = hold(0.94)
    return out, kept


@healthy.add(512)
def numpy_sparse_table_at_80():
    import numpy as np

    counts = np.zeros(4 * limit() // 8)
    counts[np.random.default_rng(0).integers(0, len(counts), 20_000)] += 1
    kept = hold(0.93)
    return counts, kept


@healthy.add(512, "pandas")
def pandas_chunks_at_93():
    import pandas as pd

    path = _folder() / "a.csv"
    pd.DataFrame({"a": range(200_000), "b": 1.5, "c": "text"}).to_csv(path, index=False)
    gc.collect()
    kept = hold(0.90)
    total = 0
    for chunk in pd.read_csv(path, chunksize=5_000):
        total += int(chunk.a.sum())
        look()
    return kept, total


@healthy.add(512, "pandas")
def pandas_downcast_at_90():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({f"c{i}": np.arange(100_000) for i in range(20)})
    kept = hold(0.88)
    for name in frame:
        frame[name] = pd.to_numeric(frame[name], downcast="integer")
        look()
    return kept, frame


@healthy.add(512, "pyarrow")
def arrow_row_groups_at_90():
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = _folder() / "a.parquet"
    pq.write_table(
        pa.table({"a": np.random.default_rng(0).random(400_000)}), path, row_group_size=20_000
    )
    kept = hold(0.88)
    for batch in pq.ParquetFile(path).iter_batches():
        batch.to_pandas().sum()
        look()
    return kept


@healthy.add(512, "polars")
def polars_groups_at_90():
    import polars as pl

    frame = pl.DataFrame({"a": range(100_000), "g": [i % 50 for i in range(100_000)]})
    frame.group_by("g").agg(pl.col("a").sum())
    kept = hold(0.88)
    for _ in range(20):
        frame.lazy().filter(pl.col("a") > 5).group_by("g").agg(pl.col("a").mean()).collect()
        look()
    return kept


@healthy.add(512, "duckdb")
def duckdb_aggregate_at_80():
    import duckdb

    kept = hold(0.7)
    database = duckdb.connect(config={"memory_limit": "50MB", "threads": 2})
    for _ in range(5):
        database.sql("select range % 100 as g, count(*) from range(500000) group by g").fetchall()
        look()
    return kept


@healthy.add(512, "sklearn")
def sklearn_fits_at_90():
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    x = np.random.default_rng(0).random((2_000, 20))
    y = x[:, 0] > 0.5
    LogisticRegression().fit(x, y)
    RandomForestClassifier(5).fit(x, y)
    kept = hold(0.9)
    for _ in range(5):
        LogisticRegression().fit(x, y).score(x, y)
        RandomForestClassifier(10, n_jobs=2).fit(x, y)
        look()
    return kept


@healthy.add(1024, "torch")
def torch_epochs_with_workers_at_85():
    import torch

    data = torch.utils.data.TensorDataset(torch.randn(2_000, 64), torch.randn(2_000, 1))
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    kept = hold(0.78)
    for _ in range(3):
        for x, y in torch.utils.data.DataLoader(data, 50, shuffle=True, num_workers=2):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        look()
    return kept


@healthy.add(1024, "torch")
def torch_checkpoints_at_93():
    import torch

    model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(6)])
    path = _folder() / "a.pt"
    torch.save(model.state_dict(), path)
    torch.load(path)
    kept = hold(0.92)
    for _ in range(5):
        torch.save(model.state_dict(), path)
        model.load_state_dict(torch.load(path))
        look()
    return kept


@healthy.add(1024, "torch")
def torch_large_batches_at_95():
    import torch

    model = torch.nn.Conv2d(3, 8, 3)
    kept = hold(0.86)
    for _ in range(10):
        model(torch.randn(16, 3, 128, 128)).mean().backward()
        look()
    return kept


@healthy.add(1536, "tensorflow")
def keras_fit_at_92():
    import keras
    import numpy as np

    x = np.random.default_rng(0).random((2_000, 64)).astype("f4")
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(64), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, x[:, :1], epochs=1, verbose=0)
    kept = hold(0.91)
    model.fit(x, x[:, :1], epochs=2, verbose=0)
    return kept


@healthy.add(1024, "jax")
def jax_steps_at_92():
    import jax
    import jax.numpy as jnp

    step = jax.jit(lambda w, x: w - 0.1 * jax.grad(lambda w: ((x @ w) ** 2).mean())(w))
    w, x = jnp.ones((256, 256)), jnp.ones((512, 256))
    w = step(w, x)
    kept = hold(0.9)
    for _ in range(100):
        w = step(w, x)
    w.block_until_ready()
    look()
    return kept


@healthy.add(512, "joblib")
def joblib_small_jobs_at_85():
    import joblib

    with joblib.Parallel(n_jobs=2) as parallel:
        parallel(joblib.delayed(_square)(i) for i in range(4))
        kept = hold(0.85)
        parallel(joblib.delayed(_square)(i) for i in range(100))
    look()
    return kept


@healthy.add(512, "PIL")
def pil_thumbnails_at_92():
    from PIL import Image

    image = Image.effect_noise((800, 800), 60).convert("RGB")
    kept = hold(0.88)
    for i in range(40):
        one = image.copy()
        one.thumbnail((100 + i, 100))
        look()
    return kept


@healthy.add(512, "cv2")
def cv2_stream_at_92():
    import cv2
    import numpy as np

    frame = np.zeros((720, 1280, 3), "u1")
    kept = hold(0.88)
    for _ in range(60):
        grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
        cv2.GaussianBlur(grey, (9, 9), 0)
        look()
    return kept


@healthy.add(512, "numba")
def numba_kernel_at_94():
    import numba
    import numpy as np

    @numba.njit
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

    total(np.ones(3))
    kept = hold(0.93)
    for _ in range(50):
        total(np.ones(100_000))
    look()
    return kept


@healthy.add(256, "json")
def logs_and_exits_at_97():
    import logging

    logging.basicConfig(filename=_folder() / "log", level=logging.INFO)
    kept = hold(0.965)
    for i in range(5_000):
        logging.info("step %d of many, loss %.3f", i, 1 / (i + 1))
    with contextlib.suppress(KeyError):
        os.environ.pop("NOTHING")
    look()
    return kept


if __name__ == "__main__":
    healthy.main(finish)
