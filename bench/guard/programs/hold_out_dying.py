"""Programs that outgrow their limit, as people write them: they catch nothing. Run one, or --list.

Written before the guard was last changed, to test it on kinds that it was not made with.
"""

import asyncio
import collections
import csv
import dataclasses
import functools
import gzip
import io
import itertools
import json
import mmap
import multiprocessing
import os
import pickle
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from html.parser import HTMLParser
from pathlib import Path

from common import MIB, Catalogue, limit, room

dying = Catalogue()
FOREVER = range(1 << 40)


def run_plainly(body) -> int:
    body()
    print("never ran out of memory", file=sys.stderr)
    return 3


def _folder() -> Path:
    return Path(tempfile.mkdtemp(dir=os.environ.get("HF_SCRATCH", "/var/tmp"), prefix="hold-out-"))


# ---- plain Python ----


@dataclasses.dataclass
class Hit:
    address: str
    path: str
    status: int
    size: int


@dying.add(256, "json")
def log_by_address():
    hits = collections.defaultdict(list)
    for i in FOREVER:
        line = f"10.0.{i % 256}.{i % 199} GET /page/{i} 200 {i % 5000}"
        address, _, path, status, size = line.split()
        hits[address].append(Hit(address, path, int(status), int(size)))


@dying.add(256, "json")
def cache_without_end():
    @functools.cache
    def features(number):
        return [number * j for j in range(200)]

    return sum(len(features(i)) for i in FOREVER)


@dying.add(256, "json")
def all_products():
    return list(itertools.product(range(60), repeat=5))


@dying.add(256, "json")
def text_built_by_adding():
    html = "<table>"
    for i in FOREVER:
        html += f"<tr><td>{i}</td><td>{'x' * 200}</td></tr>"


class _Tree(HTMLParser):
    def __init__(self):
        super().__init__()
        self.nodes = []

    def handle_starttag(self, tag, attrs):
        self.nodes.append({"tag": tag, **dict(attrs), "children": []})


@dying.add(256, "json")
def html_nodes():
    parser = _Tree()
    piece = "".join(f"<a href='/x/{i}' class='c{i}'>t</a>" for i in range(500))
    for _ in FOREVER:
        parser.feed(piece)


@dying.add(256, "json")
def asyncio_responses():
    async def fetch(i):
        await asyncio.sleep(0)
        return bytes([i % 256]) * 200_000

    async def main():
        kept = []
        for i in FOREVER:
            kept += await asyncio.gather(*[fetch(i + j) for j in range(20)])

    asyncio.run(main())


@dying.add(256, "json")
def gzip_bomb():
    path = _folder() / "a.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(600):
            file.write(bytes(MIB))
    with gzip.open(path) as file:
        return len(file.read())


@dying.add(256, "json")
def zip_members():
    path = _folder() / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(20 * MIB))
    with zipfile.ZipFile(path) as archive:
        return [archive.read("zeros") for _ in FOREVER]


@dying.add(256, "json")
def json_file():
    path = _folder() / "a.json"
    with path.open("w") as file:
        file.write("[" + ",".join(json.dumps({"id": i, "tags": ["a", str(i)]})
                                  for i in range(50_000)))  # fmt: skip
        for i in range(30):
            file.write("," + ",".join(f'{{"id": {j}, "tags": ["b", "{j}"]}}'
                                      for j in range(i * 50_000, i * 50_000 + 50_000)))  # fmt: skip
        file.write("]")
    return json.loads(path.read_text())


@dying.add(256, "json")
def csv_dicts():
    path = _folder() / "a.csv"
    with path.open("w") as file:
        file.write("id,name,city,amount\n")
        for i in range(900_000):
            file.write(f"{i},name {i},city {i % 100},{i * 0.25}\n")
    with path.open() as file:
        return list(csv.DictReader(file))


@dying.add(256, "json")
def pickle_file():
    path = _folder() / "a.pickle"
    with path.open("wb") as file:
        for i in range(40):
            pickle.dump({f"k{i}-{j}": (j, str(j)) for j in range(40_000)}, file)
    loaded = []
    with path.open("rb") as file:
        for _ in range(40):
            loaded.append(pickle.load(file))
    return loaded


@dying.add(256, "json")
def regex_matches():
    text = " ".join(f"key{i}=value{i}" for i in range(50_000))
    return [[m.groupdict() for m in re.finditer(r"(?P<k>\w+)=(?P<v>\w+)", text)] for _ in FOREVER]


@dying.add(256, "json")
def output_of_a_command():
    return subprocess.check_output(["head", "-c", str(2 * limit()), "/dev/zero"])


@dying.add(256, "json")
def mapped_and_written():
    kept = []
    for _ in FOREVER:
        block = mmap.mmap(-1, 2 * MIB)
        for _ in range(2):
            block.write(b"x" * MIB)
        kept.append(block)


@dying.add(256, "json")
def prefetch_thread():
    """A producer that is faster than its consumer, and a queue without a bound."""
    waiting = queue.Queue()

    def produce():
        for i in FOREVER:
            waiting.put([i] * 20_000)

    threading.Thread(target=produce, daemon=True).start()
    while True:
        waiting.get()
        time.sleep(0.01)


@dying.add(512, "json")
def manager_dict():
    with multiprocessing.Manager() as manager:
        shared = manager.dict()
        for i in FOREVER:
            shared[i] = "x" * 100_000


def _send_rows(pipe):
    for i in FOREVER:
        pipe.send([(i, j, str(j)) for j in range(3_000)])


@dying.add(512, "json")
def pipe_from_child():
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_send_rows, args=(theirs,))
    child.daemon = True
    child.start()
    kept = []
    while True:
        kept.append(ours.recv())


@dying.add(512, "json")
def bare_forks():
    """Children of os.fork that rewrite what they inherit."""
    table = {i: [i, str(i)] for i in range(int(room() * 0.35) // 250)}
    children = []
    for _ in range(4):
        if (pid := os.fork()) == 0:
            for key in table:
                table[key] = [key, str(key) + "x"]
            time.sleep(2)
            os._exit(0)
        children.append(pid)
    worst = 0
    for pid in children:
        worst = max(worst, os.waitpid(pid, 0)[1])
    assert worst == 0, "a child failed"


@dying.add(512, "json")
def spawned_pool_results():
    from concurrent.futures import ProcessPoolExecutor, as_completed

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        jobs = [pool.submit(bytes, 4 * MIB) for _ in range(300)]
        return [job.result() for job in as_completed(jobs)]


# ---- NumPy, SciPy ----


@dying.add(512)
def numpy_file_too_large():
    import numpy as np

    path = _folder() / "a.npy"
    whole = np.lib.format.open_memmap(path, "w+", "f8", (limit() * 2 // 8,))
    del whole
    return np.load(path).sum()


@dying.add(512)
def numpy_vstack_in_a_loop():
    import numpy as np

    rows = np.empty((0, 1000))
    for i in FOREVER:
        rows = np.vstack([rows, np.full((200, 1000), i)])


@dying.add(512)
def numpy_all_differences():
    import numpy as np

    points = np.random.default_rng(0).random((6_000, 3))
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))


@dying.add(512)
def numpy_grid():
    import numpy as np

    axes = [np.linspace(0, 1, 260) for _ in range(3)]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    return x**2 + y**2 + z**2


@dying.add(512)
def numpy_windows():
    import numpy as np

    signal = np.random.default_rng(0).random(400_000)
    windows = np.lib.stride_tricks.sliding_window_view(signal, 500)
    return np.array(windows).mean(1)


@dying.add(512)
def numpy_covariance():
    import numpy as np

    return np.corrcoef(np.random.default_rng(0).random((9_000, 30)))


@dying.add(512)
def numpy_fancy_epochs():
    import numpy as np

    data = np.random.default_rng(0).random((20_000, 64))
    kept = []
    for epoch in FOREVER:
        order = np.random.default_rng(epoch).permutation(len(data))
        kept.append(data[order])


@dying.add(512, "scipy")
def scipy_pairs():
    import numpy as np
    from scipy.spatial import cKDTree

    tree = cKDTree(np.random.default_rng(0).random((60_000, 2)))
    return tree.query_pairs(0.05)


@dying.add(512, "scipy")
def scipy_kron():
    import scipy.sparse as sparse

    grown = sparse.eye(10, format="csr") * 2
    for _ in range(9):
        grown = sparse.kron(grown, sparse.csr_matrix([[1, 2], [3, 4]] * 2), format="csr")
    return grown


@dying.add(512, "scipy")
def scipy_dense_inverse():
    import numpy as np
    import scipy.linalg

    a = np.random.default_rng(0).random((4_200, 4_200))
    return scipy.linalg.inv(a) @ a


# ---- pandas, Arrow, Polars, DuckDB ----


def _table_csv(rows: int) -> Path:
    path = _folder() / "a.csv"
    with path.open("w") as file:
        file.write("id,name,when,amount,note\n")
        for i in range(rows):
            file.write(f"{i},customer {i % 977},2024-01-{i % 28 + 1:02d},{i * 0.5},some note {i}\n")
    return path


@dying.add(384, "pandas")
def pandas_large_csv():
    import pandas as pd

    return pd.read_csv(_table_csv(2_500_000))


@dying.add(384, "pandas")
def pandas_csv_dates():
    import pandas as pd

    frame = pd.read_csv(_table_csv(600_000), parse_dates=["when"])
    return [frame.assign(n=frame.note.str.cat(frame.name, sep="-")) for _ in FOREVER]


@dying.add(512, "pandas")
def pandas_append_rows():
    import pandas as pd

    whole = pd.DataFrame()
    for i in FOREVER:
        more = pd.DataFrame({"i": range(20_000), "t": [f"text {i} {j}" for j in range(20_000)]})
        whole = pd.concat([whole, more], ignore_index=True)


@dying.add(512, "pandas")
def pandas_pivot_wide():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"u": np.arange(12_000), "i": np.arange(12_000), "r": 1.0})
    return frame.pivot(index="u", columns="i", values="r").fillna(0)


@dying.add(512, "pandas")
def pandas_exploded():
    import pandas as pd

    frame = pd.DataFrame({"k": range(20_000), "v": [list(range(200))] * 20_000})
    return frame.explode("v").merge(frame, on="k")


@dying.add(512, "pandas")
def pandas_cross():
    import pandas as pd

    frame = pd.DataFrame({"a": range(7_000)})
    return frame.merge(frame, how="cross").query("a_x != a_y")


@dying.add(512, "pandas")
def pandas_groups_kept():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame(
        {"g": np.arange(300_000) % 1_000, "v": np.random.default_rng(0).random(300_000)}
    )
    kept = []
    for _ in FOREVER:
        kept.append({name: group.copy() for name, group in frame.groupby("g")})


@dying.add(512, "pyarrow")
def arrow_compressed_file():
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = _folder() / "a.parquet"
    schema = pa.schema([("a", pa.float64()), ("b", pa.int64())])
    with pq.ParquetWriter(path, schema) as writer:
        for i in range(60):
            writer.write_table(pa.table({"a": np.full(1_000_000, 1.5), "b": np.full(1_000_000, i)}))
    return pq.read_table(path).to_pandas()


@dying.add(512, "pyarrow")
def arrow_batches_kept():
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kept = []
    for i in FOREVER:
        batch = pa.record_batch({"x": np.arange(50_000) + i, "g": np.arange(50_000) % 9})
        kept.append(pa.Table.from_batches([batch]).sort_by("x").filter(pc.field("g") > 1))


@dying.add(512, "polars")
def polars_cross():
    import polars as pl

    frame = pl.DataFrame({"a": range(6_000)})
    return frame.join(frame, how="cross").with_columns(s=pl.col("a") + pl.col("a_right"))


@dying.add(512, "polars")
def polars_lazy_frames():
    import polars as pl

    source = pl.LazyFrame({"a": range(100_000), "g": [i % 50 for i in range(100_000)]})
    kept = []
    for i in FOREVER:
        kept.append(source.with_columns(r=pl.col("a").rank().over("g") + i).collect())


@dying.add(512, "polars")
def polars_large_csv():
    import polars as pl

    return pl.read_csv(_table_csv(4_000_000)).with_columns(pl.col("note").str.to_uppercase())


@dying.add(512, "duckdb")
def duckdb_rows():
    import duckdb

    return duckdb.sql("select range as a, range * 2 as b, 'text ' || range as c "
                      "from range(6000000)").fetchall()  # fmt: skip


@dying.add(512, "duckdb")
def duckdb_frames():
    import duckdb

    return [duckdb.sql(f"select range + {i} as a, random() as b from range(100000)").df()
            for i in FOREVER]  # fmt: skip


@dying.add(256, "json")
def sqlite_file_rows():
    import sqlite3

    database = sqlite3.connect(_folder() / "a.db")
    database.execute("create table t (a integer, b text)")
    for i in range(30):
        rows = ((j, f"row {i} {j} with some text") for j in range(50_000))
        database.executemany("insert into t values (?, ?)", rows)
    database.commit()
    return database.execute("select * from t order by b").fetchall()


# ---- torch, Keras, JAX, trees ----


@dying.add(1024, "torch")
def torch_losses_kept():
    import torch

    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3), torch.nn.ReLU(), torch.nn.Conv2d(32, 32, 3)
    )
    losses = []
    for _ in FOREVER:
        losses.append(model(torch.randn(4, 3, 64, 64)).square().mean())


@dying.add(1024, "torch")
def torch_images_preloaded():
    import torch

    class Images(torch.utils.data.Dataset):
        def __init__(self):
            self.images = [
                torch.randint(0, 255, (3, 256, 256)).float() / 255 for _ in range(20_000)
            ]

    return Images()


class _Caching:
    def __init__(self):
        self.cache = {}

    def __len__(self):
        return 1 << 30

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = {"text": [f"token {i} {j}" for j in range(2_000)], "label": i % 2}
        return self.cache[i]["label"]


@dying.add(1024, "torch")
def torch_worker_cache():
    import torch

    loader = torch.utils.data.DataLoader(_Caching(), batch_size=16, num_workers=2)
    return sum(int(batch.sum()) for batch in loader)


class _Tensors:
    def __len__(self):
        return 1 << 30

    def __getitem__(self, i):
        import torch

        return torch.full((3, 224, 224), float(i))


@dying.add(1024, "torch")
def torch_batches_kept():
    import torch

    kept = []
    for batch in torch.utils.data.DataLoader(_Tensors(), batch_size=8, num_workers=2):
        kept.append(batch)


@dying.add(1024, "torch")
def torch_batch_too_large():
    import torch

    return next(iter(torch.utils.data.DataLoader(_Tensors(), batch_size=3_000)))


@dying.add(1024, "torch")
def torch_distances():
    import torch

    x = torch.randn(16_000, 16)
    return torch.cdist(x, x).exp()


@dying.add(1024, "torch")
def torch_checkpoints_in_memory():
    import torch

    model = torch.nn.Linear(1024, 1024)
    kept = []
    for _ in FOREVER:
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        kept.append(file)


@dying.add(1536, "torch")
def torch_attention_long():
    import torch

    layer = torch.nn.TransformerEncoderLayer(128, 8, batch_first=True)
    return layer(torch.randn(2, 6_000, 128)).sum().backward()


@dying.add(1024, "torch")
def torch_evaluation_with_graph():
    import torch

    model = torch.nn.LSTM(64, 256, batch_first=True)
    outputs = []
    for _ in FOREVER:
        output, _ = model(torch.randn(16, 50, 64))
        outputs.append(output)


@dying.add(1536, "tensorflow")
def tensorflow_kept():
    import tensorflow as tf

    kept = []
    for i in FOREVER:
        kept.append(tf.random.normal((256, 1024)) + i)


@dying.add(1536, "tensorflow")
def keras_models_in_a_search():
    import keras

    models = []
    for width in itertools.cycle(range(500, 1500, 100)):
        model = keras.Sequential([keras.Input((width,)), keras.layers.Dense(width)])
        model.compile("adam", "mse")
        models.append((model, model.get_weights()))


@dying.add(1024, "jax")
def jax_kept():
    import jax.numpy as jnp

    return [jnp.ones((512, 512)) * i for i in FOREVER]


@dying.add(1024, "jax")
def jax_outer():
    import jax
    import jax.numpy as jnp

    step = jax.jit(lambda x, i: jnp.tanh(x * i))
    x = jnp.ones((1000, 300))
    return [step(x, i) for i in FOREVER]


@dying.add(512, "sklearn")
def sklearn_forest():
    import numpy as np
    from sklearn.ensemble import RandomForestRegressor

    r = np.random.default_rng(0)
    x = r.random((60_000, 20))
    return RandomForestRegressor(400, n_jobs=2, random_state=0).fit(x, r.random(60_000))


@dying.add(768, "sklearn")
def sklearn_search():
    import numpy as np
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    x = np.random.default_rng(0).random((20_000, 30))
    pipeline = make_pipeline(PolynomialFeatures(3), KNeighborsRegressor())
    return GridSearchCV(pipeline, {"polynomialfeatures__degree": [2, 3]}, n_jobs=2,
                        error_score="raise").fit(x, x[:, 0])  # fmt: skip


@dying.add(512, "sklearn")
def sklearn_dense_texts():
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [f"word{i} word{i * 7 % 9000} other{i % 911}" for i in range(12_000)]
    return TfidfVectorizer().fit_transform(texts).toarray()


@dying.add(512, "sklearn")
def sklearn_kernel():
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessRegressor

    x = np.random.default_rng(0).random((6_000, 4))
    return GaussianProcessRegressor().fit(x, x[:, 0])


@dying.add(512, "networkx")
def networkx_grows():
    import networkx as nx

    graph = nx.Graph()
    for i in FOREVER:
        graph.add_edge(i, i * 7 % 1_000_003, weight=i / 3)


@dying.add(512, "h5py")
def h5py_whole():
    import h5py
    import numpy as np

    path = _folder() / "a.h5"
    with h5py.File(path, "w") as file:
        data = file.create_dataset(
            "x", (limit() * 2 // 8,), "f8", chunks=(1 << 17,), compression="gzip"
        )
        for at in range(0, len(data), 1 << 22):
            data[at : at + (1 << 22)] = np.ones(min(1 << 22, len(data) - at))
    with h5py.File(path) as file:
        return file["x"][:].sum()


@dying.add(512, "h5py")
def h5py_pieces():
    import h5py
    import numpy as np

    path = _folder() / "a.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.ones((1000, 1000))
    kept = []
    with h5py.File(path) as file:
        for _ in FOREVER:
            kept.append(file["x"][:300])


@dying.add(512, "numba")
def numba_typed_list():
    import numba
    import numpy as np

    @numba.njit
    def make(n):
        return np.arange(n) * 1.5

    kept = numba.typed.List()
    for i in FOREVER:
        kept.append(make(60_000 + i % 7))


@dying.add(512, "PIL")
def pil_album():
    import numpy as np
    from PIL import Image, ImageFilter

    album = []
    for i in FOREVER:
        image = Image.new("RGB", (500, 400), (i % 255, 3, 4)).filter(ImageFilter.BLUR)
        album.append(np.asarray(image.convert("RGBA"), dtype="f4"))


@dying.add(512, "cv2")
def cv2_frames():
    import cv2
    import numpy as np

    frame = np.random.default_rng(0).integers(0, 255, (480, 640, 3), dtype="u1")
    frames = []
    for i in FOREVER:
        edges = cv2.Canny(frame, 50 + i % 50, 150)
        frames.append(cv2.merge([edges, edges, edges]))


@dying.add(512, "joblib")
def joblib_in_threads():
    import joblib
    import numpy as np

    def load(i):
        return np.random.default_rng(i).random((500, 500))

    return joblib.Parallel(n_jobs=2, prefer="threads")(
        joblib.delayed(load)(i) for i in range(4_000)
    )


@dying.add(512, "joblib")
def joblib_returns_arrays():
    import joblib
    import numpy as np

    return joblib.Parallel(n_jobs=2)(joblib.delayed(np.ones)(300_000) for _ in range(2_000))


@dying.add(512, "xgboost")
def xgboost_matrices():
    import numpy as np
    import xgboost

    x = np.random.default_rng(0).random((20_000, 30))
    return [xgboost.DMatrix(x, x[:, 0]) for _ in FOREVER]


@dying.add(512, "lightgbm")
def lightgbm_boosters():
    import lightgbm
    import numpy as np

    x = np.random.default_rng(0).random((40_000, 30))
    kept = []
    for i in FOREVER:
        kept.append(lightgbm.Dataset(x + i, x[:, 0], free_raw_data=False).construct())


if __name__ == "__main__":
    dying.main(run_plainly)
