"""The same data read by the Loader and by others, one pass; each process prints what it cost.

usage: readers.py READER DATA [--memory]
prints {"samples": count, "wall": seconds, "cpu": seconds, "peak": bytes}
A reader imports its libraries before the clock starts. Memory is measured only on request:
measuring costs more than some of the readers.
"""

import importlib
import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

BUDGET = "128MiB"
IMPORTS = {
    "ours-parquet": ["holdfast.loader", "pyarrow.parquet"],
    "pyarrow-parquet": ["pyarrow.parquet"],
    "pyarrow-threads-parquet": ["pyarrow.parquet"],
    "torch-jpeg": ["torch.utils.data", "torchvision.transforms"],
    "spdl-jpeg": ["spdl.io", "spdl.pipeline"],
}
PASSES = {"parquet": 5}  # one pass is over too soon


def ours_jpeg(data):
    from holdfast import Loader

    return Loader(f"{data}/jpeg", budget=BUDGET, batch=64, size=224, labels="folder", as_="torch")


def torch_jpeg(data):
    from torch.utils.data import DataLoader
    from torchvision import datasets, transforms

    change = transforms.Compose([transforms.Resize((224, 224)), transforms.PILToTensor()])
    folder = datasets.ImageFolder(f"{data}/jpeg", change)
    return DataLoader(folder, batch_size=64, shuffle=True, num_workers=2)


def spdl_jpeg(data):
    import spdl.io
    from spdl.pipeline import PipelineBuilder

    files = sorted(str(path) for path in Path(data, "jpeg").rglob("*.jpg"))
    files = [files[i] for i in np.random.default_rng(0).permutation(len(files))]

    def decode(path):
        packets = spdl.io.demux_image(path)
        scale = spdl.io.get_video_filter_desc(scale_width=224, scale_height=224, pix_fmt="rgb24")
        return spdl.io.decode_packets(packets, filter_desc=scale)

    def convert(frames):
        return spdl.io.to_torch(spdl.io.convert_frames(frames))

    pipeline = (
        PipelineBuilder()
        .add_source(files)
        .pipe(decode, concurrency=2)
        .aggregate(64)
        .pipe(convert)
        .add_sink(4)
        .build(num_threads=2)
    )

    def batches():
        with pipeline.auto_stop():
            yield from pipeline.get_iterator(timeout=30)

    return batches()


def bare(data, *options):
    """libjpeg-turbo alone, on two threads; it prints its own cost."""
    program = Path(os.environ["HOLDFAST_BIN"]).parent.parent / "loader/bare_jpeg"
    if not program.exists():
        sys.exit("no bare_jpeg: cmake --build build/release --target bare_jpeg")
    files = sorted(str(path) for path in Path(data, "jpeg").rglob("*.jpg"))
    files = [files[i] for i in np.random.default_rng(0).permutation(len(files))]
    command = [str(program), "2", "224", "224", "1", *options]
    subprocess.run(command, input="\n".join(files), text=True, check=True)


def ours_npy(data):
    from holdfast import Loader

    return Loader(f"{data}/small.npy", budget=BUDGET, batch=256, as_="torch")


def torch_npy(data):
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __init__(self):
            self.rows = np.load(f"{data}/small.npy", mmap_mode="r")

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, index):
            return np.array(self.rows[index])

    return DataLoader(Rows(), batch_size=256, shuffle=True, num_workers=2)


def ours_csv(data):
    from holdfast import Loader

    return Loader(f"{data}/d.csv", budget=BUDGET, batch=256, labels="label", as_="torch")


def torch_csv(data):
    from torch.utils.data import DataLoader, Dataset

    class Lines(Dataset):
        """Keeps where lines begin, as the Loader does; the rest of the file stays on disk."""

        def __init__(self):
            self.path = f"{data}/d.csv"
            self.starts = []
            with Path(self.path).open("rb") as file:
                at = len(file.readline())
                for line in file:
                    self.starts.append(at)
                    at += len(line)
            self.file = None

        def __len__(self):
            return len(self.starts)

        def __getitem__(self, index):
            if self.file is None:
                self.file = Path(self.path).open("rb")
            self.file.seek(self.starts[index])
            cells = self.file.readline().split(b",")
            return np.array(cells[:-1], np.float32), int(cells[-1])

    return DataLoader(Lines(), batch_size=256, shuffle=True, num_workers=2)


def ours_parquet(data):
    from holdfast import Loader

    return Loader(f"{data}/d.parquet", budget=BUDGET, batch=4096, shuffle=False, as_="numpy")


def pyarrow_parquet(data, threads=False):
    """Tuned as well as possible: without these two options it holds as much as the whole file."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(f"{data}/d.parquet", pre_buffer=False, buffer_size=64 << 10)
    for batch in file.iter_batches(4096, use_threads=threads):
        yield {name: batch.column(name).to_numpy() for name in batch.schema.names}


def pyarrow_threads_parquet(data):
    return pyarrow_parquet(data, threads=True)


def rows_of(batch):
    if isinstance(batch, dict):
        batch = next(iter(batch.values()))
    return len(batch[0]) if isinstance(batch, (tuple, list)) else len(batch)


def tree_memory():
    """Memory of this process and those below it; shared pages count once, files not at all."""
    total = 0
    own = os.getpid()
    children = [own]
    for task in Path(f"/proc/{own}/task").iterdir():
        children += [int(pid) for pid in (task / "children").read_text().split()]
    for pid in children:
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith(("Pss_Anon:", "Pss_Shmem:")):
                    total += int(line.split()[1]) << 10
        except OSError:
            continue
    return total


def main():
    reader, data = sys.argv[1:3]
    if reader.startswith("bare"):
        bare(data, *(["--resize"] if "resized" in reader else []))
        return
    make = globals()[reader.replace("-", "_")]
    for name in ("torch", *IMPORTS.get(reader, ["holdfast.loader", "torch.utils.data"])):
        importlib.import_module(name)
    before = tree_memory()
    peak = [before]
    over = threading.Event()

    def watch():
        while not over.wait(0.05):
            peak[0] = max(peak[0], tree_memory())

    thread = threading.Thread(target=watch)
    if "--memory" in sys.argv:
        thread.start()

    def cpu():
        own = resource.getrusage(resource.RUSAGE_SELF)
        below = resource.getrusage(resource.RUSAGE_CHILDREN)
        return own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime

    started, spent = time.monotonic(), cpu()
    samples = 0
    batch = None
    for _ in range(PASSES.get(reader.rpartition("-")[2], 1)):
        source = make(data)
        for batch in source:
            samples += rows_of(batch)
    if not samples:
        sys.exit("it gave nothing")
    wall = time.monotonic() - started
    del source, batch
    over.set()
    if thread.is_alive():
        thread.join()
    print(
        json.dumps(
            {"samples": samples, "wall": wall, "cpu": cpu() - spent, "peak": peak[0] - before}
        )
    )


if __name__ == "__main__":
    main()
