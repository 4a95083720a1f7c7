"""The first batch of 1.2 million files in a thousand folders, with and without an index.

usage: index.py FOLDER [INDEX]      prints {"cpu": ..., "wall": ..., "first": ..., "listed": bytes}
The directories are in the page cache: FOLDER is listed once before the clock starts.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

FOLDERS, EACH = 1000, 1200


def make(data):
    """Hard links to a few images, because only names are measured."""
    root = data / "million"
    done = root / "done"
    if done.exists():
        return root
    images = sorted((data / "jpeg").rglob("*.jpg"))[:64]
    for number in range(FOLDERS):
        folder = root / f"n{number:08d}"
        folder.mkdir(parents=True, exist_ok=True)
        for one in range(EACH):
            name = folder / f"n{number:08d}_{one * 37 % 10_000:05d}.JPEG"
            if not name.exists():
                os.link(images[one % len(images)], name)
    done.touch()
    return root


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    from holdfast import Loader

    folder = sys.argv[1]
    index = sys.argv[2] if len(sys.argv) > 2 else None
    options = {"budget": "128MiB", "batch": 64, "size": 224, "labels": "folder", "as_": "numpy"}
    with Loader(folder, index=index, **options):  # writes the index, and warms the directories
        pass
    before, started = cpu(), time.monotonic()
    with Loader(folder, index=index, **options) as loader:
        used, wall = cpu() - before, time.monotonic() - started
        next(iter(loader))
        first = time.monotonic() - started
        listed = loader.stats()["fixed"]
        print(json.dumps({"cpu": used, "wall": wall, "first": first, "listed": listed}))
    if index is not None:
        Path(index).unlink()


if __name__ == "__main__":
    main()
