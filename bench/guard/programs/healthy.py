"""Programs that finish without the guard, close to their limit. Run one by its name, or --list.

Each prints how far it came: memory that cannot be dropped, as a part of the limit.
"""

import gc
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import MIB, Catalogue, file_pages, limit, room, usage

healthy = Catalogue()
_highest = [0.0]


def look() -> None:
    _highest[0] = max(_highest[0], (usage() - file_pages()) / limit())


def fill(share: float, block: int = 4 * MIB) -> list:
    """Takes and touches memory until so much of the limit is in use."""
    import numpy as np

    kept = []
    while (left := int(share * limit() - (usage() - file_pages()))) > MIB // 4:
        kept.append(np.ones(max(min(block, left), 4096) // 8))
    look()
    return kept


def finish(body) -> int:
    body()
    look()
    print(f"reached {_highest[0]:.1%}", flush=True)
    return 0


def _plain_fill(share: float, block: int):
    def body():
        kept = fill(share, block)
        time.sleep(0.02)
        return len(kept)

    return body


for _share in (85, 90, 95, 98, 99):
    for _megabytes in (256, 512, 1024, 2048):
        for _block in (64, 1024, 16384):
            # Not all combinations: each share with each limit, the block sizes in turn.
            if (_share + _megabytes // 256 + _block // 64) % 3 != 0:
                continue
            _body = _plain_fill(_share / 100, _block << 10)
            _body.__name__ = f"fill_{_share}_percent_{_block}k"
            if f"fill_{_share}_percent_{_block}k" not in [name for name, _, _ in healthy]:
                healthy.add(_megabytes)(_body)


@healthy.add(256)
def one_block_to_95():
    import numpy as np

    block = np.ones(int(0.95 * limit() - usage() + file_pages()) // 8)
    look()
    return block


@healthy.add(1024)
def one_block_to_98():
    import numpy as np

    block = np.ones(int(0.98 * limit() - usage() + file_pages()) // 8)
    look()
    return block


@healthy.add(512)
def reuse_24m_at_91():
    import numpy as np

    kept = fill(0.86)
    for _ in range(50):
        block = np.ones(24 * MIB // 8)
        look()
        del block
    return kept


@healthy.add(512)
def reuse_heap_blocks_at_97():
    """Blocks of a size that glibc keeps in its heap once it has seen one freed."""
    import numpy as np

    first = np.ones(24 * MIB // 8)
    del first
    pool = [np.ones(20 * MIB // 8) for _ in range(4)]
    kept = fill(0.97)
    for i in range(60):
        pool[i % 4] = None
        pool[i % 4] = np.ones(20 * MIB // 8)
        look()
    return kept


@healthy.add(256)
def churn_small_at_98():
    kept = fill(0.97)
    for _ in range(40):
        rows = [str(i) for i in range(10_000)]
        look()
    return kept, rows


@healthy.add(512)
def churn_temporaries_at_95():
    import numpy as np

    kept = fill(0.90)
    a = np.ones(MIB)
    for _ in range(200):
        b = a * 2 + 1
    look()
    return kept, b


@healthy.add(512)
def sparse_zeros_half():
    import numpy as np

    sparse = np.zeros(limit() * 9 // 10 // 8)
    kept = fill(0.93)
    sparse[:: 1 << 24] = 1
    look()
    return kept, sparse


@healthy.add(512)
def sparse_zeros_at_the_end():
    import numpy as np

    kept = fill(0.93)
    sparse = np.zeros(limit() // 2 // 8)
    sparse[0] = 1
    look()
    return kept, sparse


@healthy.add(256)
def many_sparse_zeros():
    import numpy as np

    kept = fill(0.92)
    sparse = [np.zeros(limit() // 3 // 8) for _ in range(30)]
    for one in sparse:
        one[7] = 1
    look()
    return kept, sparse


@healthy.add(512)
def empty_never_touched_first():
    import numpy as np

    never = np.empty(int(room() * 0.9) // 8)
    kept = fill(0.95)
    return kept, never


@healthy.add(512)
def empty_never_touched_last():
    import numpy as np

    kept = fill(0.93)
    never = np.empty(limit() // 4 // 8)
    look()
    return kept, never


@healthy.add(512)
def mapped_never_touched():
    kept = fill(0.94)
    never = [mmap.mmap(-1, limit() // 2) for _ in range(4)]
    private = mmap.mmap(-1, 2 * limit(), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    look()
    return kept, never, private


@healthy.add(512)
def reserved_address_space():
    """Like CUDA and the JVM: reserves much more than there is, none of it memory."""
    import ctypes

    kept = fill(0.9)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    for protection, flags in ((0, 0x22), (3, 0x4022)):
        at = libc.mmap(None, 64 << 30, protection, flags, -1, 0)
        assert at not in (None, 2**64 - 1), "address space was refused"
    return kept


def _write_file(folder: str, size: int) -> Path:
    path = Path(folder, "data")
    with path.open("wb") as file:
        for _ in range(size // MIB):
            file.write(b"x" * MIB)
    return path


@healthy.add(512)
def page_cache_clean():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = _write_file(folder, limit())
        os.sync()
        kept = fill(0.6)
        with path.open("rb") as file:
            while file.read(MIB):
                pass
        more = fill(0.93)
        return kept, more


@healthy.add(512)
def page_cache_dirty():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        kept = fill(0.6)
        for i in range(4):
            _write_file(folder, limit() // 3)
            kept += fill(0.8 + 0.03 * i)
        return kept


@healthy.add(512)
def page_cache_read_along():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = _write_file(folder, limit())
        os.sync()
        kept = []
        with path.open("rb") as file:
            for share in range(60, 96, 3):
                file.read(32 * MIB)
                kept += fill(share / 100, MIB)
        return kept


@healthy.add(512)
def file_mapping():
    import numpy as np

    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = _write_file(folder, limit() * 2)
        os.sync()
        kept = fill(0.8)
        mapped = np.memmap(path, np.uint8, "r")
        total = int(mapped[::4096].sum())
        kept += fill(0.9)
        return kept, total


@healthy.add(512)
def freed_and_taken_again():
    for _ in range(8):
        kept = fill(0.96)
        del kept
        gc.collect()


@healthy.add(256)
def objects_to_95():
    kept = []
    while usage() - file_pages() < 0.95 * limit():
        kept.append([str(i) for i in range(2_000)])
    look()
    return kept


@healthy.add(512)
def objects_freed_and_again():
    for _ in range(3):
        kept = []
        while usage() - file_pages() < 0.93 * limit():
            kept.append([(i, i + 1) for i in range(5_000)])
        look()
        kept.clear()
        gc.collect()


@healthy.add(512)
def bytearray_to_94():
    kept = fill(0.5)
    grown = bytearray()
    piece = b"x" * MIB
    while usage() - file_pages() < 0.94 * limit():
        grown += piece
    look()
    return kept, grown


@healthy.add(512)
def list_grows_to_90():
    kept = fill(0.6)
    grown = []
    while usage() - file_pages() < 0.9 * limit():
        grown.extend([None] * 50_000)
    look()
    return kept, grown


def _together(*bodies) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    look()


@healthy.add(512)
def threads_fill_to_96():
    kept = []

    def work():
        kept.append(fill(0.95, MIB))

    _together(work, work, work, work)
    return kept


@healthy.add(1024)
def threads_churn_at_90():
    import numpy as np

    kept = fill(0.87)

    def work():
        for _ in range(100):
            np.ones(2 * MIB // 8).sum()

    _together(work, work, work, work)
    return kept


@healthy.add(512)
def threads_reuse_at_86():
    """One thread's freed blocks serve the other: no page is added."""
    import numpy as np

    kept = fill(0.7)
    lock = threading.Lock()

    def work():
        for _ in range(40):
            with lock:
                np.ones(int(limit() * 0.04) // 8).sum()

    _together(work, work, work, work)
    return kept


@healthy.add(512)
def threads_large_in_turn_at_95():
    import numpy as np

    kept = fill(0.6)
    lock = threading.Lock()

    def work():
        for _ in range(6):
            with lock:
                block = np.ones(int(limit() * 0.34) // 8)
                look()
                del block
            time.sleep(0.01)

    _together(work, work, work)
    return kept


@healthy.add(512)
def threads_empty_beside():
    """A buffer that is never touched uses no memory, whatever others ask for beside it."""
    import numpy as np

    kept = fill(0.6)
    ready = threading.Event()

    def reserve():
        kept.append(np.empty(int(limit() * 0.3) // 8))
        ready.set()
        time.sleep(3)

    def work():
        ready.wait()
        kept.append(np.ones(int(limit() * 0.3) // 8))
        look()

    _together(reserve, work)
    return kept


@healthy.add(512)
def threads_shrink_and_grow_at_97():
    import numpy as np

    kept = fill(0.7)

    def work():
        mine = []
        for round_ in range(30):
            mine.append(np.ones(MIB))
            if round_ % 3 == 2:
                mine.clear()

    _together(work, work, work)
    kept.append(fill(0.97))
    return kept


@healthy.add(512)
def pool_of_threads_over_files_at_93():
    """Readers of files fill the page cache while arrays come and go."""
    import concurrent.futures

    import numpy as np

    kept = fill(0.88)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        paths = [Path(folder) / f"{i}.npy" for i in range(24)]
        for i, path in enumerate(paths):
            np.save(path, np.full(MIB // 2, i))

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            total = sum(pool.map(lambda path: int(np.load(path).sum()), paths))
    assert total == sum(range(24)) * (MIB // 2)
    look()
    return kept


def _worker_fill(share):
    kept = fill(share, MIB)
    time.sleep(0.1)
    return len(kept)


@healthy.add(512)
def workers_fill_to_93():
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(3) as pool:
        working = pool.map_async(_worker_fill, [0.4, 0.7, 0.93], chunksize=1)
        while not working.ready():
            look()
            time.sleep(0.005)
        working.get()


@healthy.add(512)
def workers_one_after_another():
    """The memory of a worker that has ended is free again."""
    import multiprocessing

    for _ in range(4):
        process = multiprocessing.get_context("fork").Process(target=_worker_fill, args=(0.95,))
        process.start()
        process.join()
        assert process.exitcode == 0, "a worker failed"
    _highest[0] = 0.95


@healthy.add(512)
def children_that_are_no_python():
    kept = fill(0.9)
    for _ in range(5):
        subprocess.run(["/bin/sh", "-c", "ls / >/dev/null; exit 0"], check=True)
        subprocess.run([sys.executable, "-c", "print(sum(range(10)))"], check=True)
    look()
    return kept


@healthy.add(512, "pandas")
def pandas_work_at_88():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"g": np.arange(200_000) % 100, "v": np.arange(200_000.0)})
    frame.groupby("g").sum()
    kept = fill(0.83)
    for _ in range(5):
        frame.groupby("g")["v"].mean().sort_values().describe()
        frame.merge(frame.head(1000), on="g", how="left").head()
        look()
    return kept


@healthy.add(512, "pyarrow")
def parquet_at_90():
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = Path(folder, "t.parquet")
        pq.write_table(pa.table({"a": np.random.default_rng(0).random(1_000_000)}), path)
        kept = fill(0.86)
        for _ in range(5):
            pq.read_table(path)
            look()
        return kept


@healthy.add(1024, "torch")
def torch_training_at_95():
    import torch

    model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(4)])
    optimizer = torch.optim.Adam(model.parameters())

    def steps(count):
        for _ in range(count):
            optimizer.zero_grad()
            model(torch.randn(256, 256)).square().mean().backward()
            optimizer.step()

    steps(5)
    kept = fill(0.95)
    steps(30)
    look()
    return kept


@healthy.add(1024, "torch")
def torch_loader_at_88():
    import torch

    kept = fill(0.5)
    data = torch.utils.data.TensorDataset(torch.ones(4000, 100))
    more = None
    for i, _ in enumerate(torch.utils.data.DataLoader(data, batch_size=64, num_workers=2)):
        if i == 5:
            more = fill(0.88)
    look()
    return kept, more


@healthy.add(256)
def lock_memory_then_exit_early():
    """Memory given back with malloc_trim and munmap counts as free at once."""
    import ctypes

    for share in (0.9, 0.95, 0.97, 0.985):
        kept = fill(share, 100_000)
        del kept
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    healthy.main(finish)
