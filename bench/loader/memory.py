"""One reader in its own process, whose resident memory is read every 10 ms.

usage: memory.py KIND DATA BUDGET      prints {"added": bytes, "samples": count}
The program holds every batch that the budget lets it hold, then releases them, and goes on.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np

from holdfast import BudgetHeld, Loader


class Rows:
    """A dataset as people write them."""

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        return np.full(512, index, np.float32), index


KINDS = {
    "npy, shuffled": lambda d: (f"{d}/x.npy", {"batch": 256}),
    "npy, in order": lambda d: (f"{d}/x.npy", {"batch": 256, "shuffle": False}),
    "two npy": lambda d: ((f"{d}/x.npy", f"{d}/y.npy"), {"batch": 256}),
    "JPEG 500 x 375 to 224": lambda d: (
        f"{d}/jpeg",
        {"size": 224, "labels": "folder", "batch": 32},
    ),
    "progressive JPEG 1600 x 1200": lambda d: (f"{d}/progressive", {"size": 224, "batch": 8}),
    "PNG to float32": lambda d: (f"{d}/png", {"size": 128, "dtype": "float32", "batch": 16}),
    "CSV": lambda d: (f"{d}/d.csv", {"labels": "label", "batch": 512}),
    "JSON lines": lambda d: (f"{d}/d.jsonl", {"columns": ["x", "y"], "batch": 512}),
    "text": lambda d: (f"{d}/d.txt", {"batch": 512}),
    "tar shards of JPEG": lambda d: (f"{d}/s*.tar", {"size": 224, "batch": 32}),
    "Parquet": lambda d: (f"{d}/d.parquet", {"batch": 4096}),
    "HDF5": lambda d: (f"{d}/d.h5", {"batch": 4096}),
    "a Python dataset": lambda _: (Rows(), {"batch": 256}),
}
LONGEST = 15.0


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    kind, data, budget = sys.argv[1:]
    source, options = KINDS[kind](data)
    # Libraries that the loader uses are imported before the count begins.
    if kind == "Parquet":
        import pyarrow.parquet  # noqa: F401
    if kind == "HDF5":
        import h5py  # noqa: F401
    with Loader(np.zeros((4, 2)), budget="1MiB", batch=2, as_="numpy") as warm:
        for _ in warm:
            pass
    start = resident()
    peak = start
    over = threading.Event()

    def watch():
        nonlocal peak
        while not over.wait(0.01):
            peak = max(peak, resident())

    thread = threading.Thread(target=watch)
    thread.start()
    samples = 0
    until = time.monotonic() + LONGEST
    with Loader(source, budget=budget, as_="numpy", **options) as loader:
        held = []
        while time.monotonic() < until:
            batches = iter(loader)
            while time.monotonic() < until:
                try:
                    batch = next(batches, None)
                except BudgetHeld:
                    held.clear()
                    continue
                if batch is None:
                    break
                first = batch[0] if isinstance(batch, tuple) else batch
                first = next(iter(first.values())) if isinstance(first, dict) else first
                samples += len(first)
                if kind != "text":  # its batches are the program's own objects
                    held.append(batch)
    over.set()
    thread.join()
    print(json.dumps({"added": max(peak, resident()) - start, "samples": samples}))


if __name__ == "__main__":
    main()
