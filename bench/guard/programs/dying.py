"""Programs that the kernel would kill. Run one by its name, or --list them.

Each grows beyond its limit in its own way and knows nothing of the guard. `common.survive` catches
the error that an allocation may raise anywhere: MemoryError, or a library's own error about memory.
"""

import array
import collections
import io
import json
import pickle
import threading
import time

from common import MIB, Catalogue, limit, room, survive

dying = Catalogue()
FOREVER = range(1 << 40)


# ---- numpy ----


@dying.add(512)
def numpy_ones_8m():
    import numpy as np

    return [np.ones(MIB) for _ in FOREVER]


@dying.add(1024)
def numpy_ones_1m():
    import numpy as np

    return [np.ones(MIB // 8) for _ in FOREVER]


@dying.add(256)
def numpy_ones_100k():
    import numpy as np

    return [np.ones(12_500) for _ in FOREVER]


@dying.add(256)
def numpy_ones_4k():
    import numpy as np

    return [np.ones(500) for _ in FOREVER]


@dying.add(512)
def numpy_one_block_over_room():
    import numpy as np

    return np.ones(int(room() * 1.1) // 8)


@dying.add(2048)
def numpy_random_huge():
    import numpy as np

    return np.random.default_rng(0).random(limit() * 2 // 8)


@dying.add(512)
def numpy_zeros_ten_limits_filled():
    import numpy as np

    a = np.zeros(limit() * 10 // 8)
    a[:] = 1
    return a


@dying.add(512)
def numpy_zeros_touched_in_loop():
    import numpy as np

    kept = []
    for _ in FOREVER:
        a = np.zeros(MIB)
        a += 1
        kept.append(a)
    return kept


@dying.add(1024)
def numpy_concatenate_doubles():
    import numpy as np

    a = np.ones(MIB)
    for _ in FOREVER:
        a = np.concatenate([a, a])
    return a


@dying.add(512)
def numpy_append_grows():
    import numpy as np

    a = np.ones(4 * MIB)
    for _ in FOREVER:
        a = np.append(a, np.ones(MIB))
    return a


@dying.add(512)
def numpy_temporaries():
    import numpy as np

    a = np.ones(room() // 3 // 8)
    return a * 2 + a * 3 + a * 5


@dying.add(1024)
def numpy_astype():
    import numpy as np

    a = np.ones(room() // 6, dtype=np.int8)
    return a.astype(np.float64)


@dying.add(512)
def numpy_matmul():
    import numpy as np

    side = int((room() / 2.5 / 4) ** 0.5)
    a = np.ones((side, side), np.float32)
    return [a + i for i in range(2)] + [a * i for i in range(2)]


@dying.add(256)
def numpy_strings():
    import numpy as np

    return [np.array(["abcdefgh" * 100] * 1000) for _ in FOREVER]


# ---- plain Python ----


@dying.add(256)
def python_ints():
    return [i + (1 << 40) for i in FOREVER]


@dying.add(256)
def python_strings():
    return [str(i) * 5 for i in FOREVER]


@dying.add(256)
def python_dict():
    return {i: str(i) for i in FOREVER}


@dying.add(512)
def python_objects():
    class Row:
        def __init__(self, i):
            self.a, self.b = i + (1 << 30), [i]

    return [Row(i) for i in FOREVER]


@dying.add(256)
def python_set():
    return {i + (1 << 40) for i in FOREVER}


@dying.add(256)
def python_tuples_deque():
    kept = collections.deque()
    for i in FOREVER:
        kept.append((i, i + 1, float(i)))


@dying.add(512)
def python_bytes_64k():
    return [b"x" * 65_536 for _ in FOREVER]


@dying.add(512)
def python_bytearray_grows():
    grown = bytearray()
    piece = b"x" * MIB
    for _ in FOREVER:
        grown += piece


@dying.add(512)
def python_string_joined():
    text = "x" * MIB
    for _ in FOREVER:
        text = text + text


@dying.add(256)
def python_stringio():
    out = io.StringIO()
    for i in FOREVER:
        out.write(f"line {i} of a log that nobody reads\n")


@dying.add(512)
def python_bytesio():
    out = io.BytesIO()
    piece = b"x" * 500_000
    for _ in FOREVER:
        out.write(piece)


@dying.add(256)
def python_array_module():
    grown = array.array("d")
    piece = array.array("d", [1.0]) * 100_000
    for _ in FOREVER:
        grown.extend(piece)


@dying.add(512)
def python_json():
    text = json.dumps([{"name": f"n{i}", "values": list(range(20))} for i in range(20_000)])
    return [json.loads(text) for _ in FOREVER]


@dying.add(512)
def python_pickle():
    rows = [(i, str(i), float(i)) for i in range(200_000)]
    return [pickle.loads(pickle.dumps(rows)) for _ in FOREVER]


@dying.add(256)
def python_slow_growth():
    kept = []
    for i in FOREVER:
        kept.append([float(j) for j in range(20_000)])
        if i % 10 == 0:
            time.sleep(0.002)


# ---- pandas, pyarrow ----


@dying.add(512, "pandas")
def pandas_concat_grows():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"a": np.ones(200_000), "b": np.ones(200_000)})
    whole = frame
    for _ in FOREVER:
        whole = pd.concat([whole, frame, frame])


@dying.add(512, "pandas")
def pandas_merge_explodes():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"key": np.zeros(20_000, np.int64), "v": np.arange(20_000)})
    return frame.merge(frame, on="key")


@dying.add(512, "pandas")
def pandas_text_columns():
    import pandas as pd

    return [pd.DataFrame({"t": [f"row {i} {j}" for j in range(20_000)]}) for i in FOREVER]


@dying.add(512, "pandas")
def pandas_dummies():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"c": np.arange(40_000) % 20_000})
    return pd.get_dummies(frame["c"], dtype=float)


@dying.add(512, "pyarrow")
def arrow_to_python():
    import pyarrow as pa

    table = pa.table({"a": pa.array(range(300_000))})
    return [table.to_pylist() for _ in FOREVER]


@dying.add(512, "pyarrow")
def arrow_tables():
    import numpy as np
    import pyarrow as pa

    return [pa.array(np.random.default_rng(i).random(500_000)).cast("string") for i in FOREVER]


# ---- torch on the CPU ----


@dying.add(1024, "torch")
def torch_tensors():
    import torch

    return [torch.ones(MIB) for _ in FOREVER]


@dying.add(1024, "torch")
def torch_small_tensors():
    import torch

    return [torch.ones(1000) for _ in FOREVER]


@dying.add(2048, "torch")
def torch_one_huge():
    import torch

    return torch.randn(int(room() * 1.2) // 4)


@dying.add(1024, "torch")
def torch_cat_grows():
    import torch

    grown = torch.ones(1000, 1000)
    for _ in FOREVER:
        grown = torch.cat([grown, torch.ones(2000, 1000)])


@dying.add(1024, "torch")
def torch_graph_kept():
    import torch

    model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(4)])
    total = torch.zeros(())
    for _ in FOREVER:
        total = total + model(torch.randn(512, 512)).relu().sum()
    return total


@dying.add(1024, "torch")
def torch_optimizer_state():
    import torch

    side = int((room() / 3 / 4) ** 0.5)
    model = torch.nn.Linear(side, side)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, side)).sum().backward()
    optimizer.step()
    return optimizer


# ---- threads, workers ----


def _in_threads(work):
    failed = []

    def guarded():
        try:
            work()
        except MemoryError as error:
            failed.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    raise failed[0] if failed else RuntimeError("no thread failed")


@dying.add(512)
def threads_numpy():
    import numpy as np

    kept = []

    def grow():
        for _ in FOREVER:
            kept.append(np.ones(MIB))

    _in_threads(grow)


@dying.add(512)
def threads_large_at_once():
    import numpy as np

    kept = []
    size = room() // 3 // 8
    _in_threads(lambda: kept.append(np.ones(size)))


@dying.add(256)
def threads_objects():
    kept = []

    def grow():
        for i in FOREVER:
            kept.append((i, str(i)))

    _in_threads(grow)


_still_held: list = []


@dying.add(256)
def threads_objects_held():
    """Nothing is freed, and the main thread, never refused itself, handles the error."""

    def grow():
        for i in FOREVER:
            _still_held.append((i, str(i)))

    _in_threads(grow)


def _grow_in_worker(_):
    import numpy as np

    return len([np.ones(MIB) for _ in FOREVER])


def _objects_in_worker(_):
    return len([str(i) * 3 for i in FOREVER])


@dying.add(512)
def pool_numpy():
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.map(_grow_in_worker, range(4), chunksize=1)


@dying.add(512)
def pool_objects():
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(_objects_in_worker, range(2), chunksize=1)


@dying.add(512)
def executor_spawned():
    import concurrent.futures
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        return list(pool.map(_grow_in_worker, range(2)))


@dying.add(512)
def forked_copies():
    """Objects of the parent, written to by its children: copies add up, page by page."""
    import multiprocessing

    rows = [[i] for i in range(int(room() * 0.45) // 100)]
    global _shared_rows
    _shared_rows = rows
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.map(_rewrite_rows, range(4), chunksize=1)


_shared_rows: list = []


def _rewrite_rows(number):
    for i, row in enumerate(_shared_rows):
        row[0] = (number, i)
    return 0


class _GrowingSet:
    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        import numpy as np

        kept = self.__dict__.setdefault("kept", [])
        kept.append(np.ones(MIB))
        return kept[-1][:4].copy()


@dying.add(1024, "torch")
def dataloader_workers():
    import torch

    loader = torch.utils.data.DataLoader(_GrowingSet(), batch_size=2, num_workers=2)
    for _ in loader:
        pass


if __name__ == "__main__":
    dying.main(survive)
