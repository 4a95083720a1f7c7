"""holdfast.Loader keeps to its budget, and reports when the program itself holds all of it."""

import gc
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from support.loader import MIB, found, make, records  # noqa: F401
from support.run import ROOT

WATCHED = """
import json, os, sys, threading
import numpy as np
sys.path.insert(0, {python!r})
from holdfast import Loader
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
with Loader(np.zeros((4, 2)), budget="1MiB", batch=2, as_="numpy") as warm:
    for _ in warm: pass
start = resident()
peak = [0]; over = threading.Event()
def watch():
    while not over.wait(0.01): peak[0] = max(peak[0], resident())
thread = threading.Thread(target=watch); thread.start()
loader = Loader({source!r}, as_="numpy", **{options!r})
count = 0
held = []
for _ in range(2):
    for batch in loader:
        first = batch[0] if isinstance(batch, (tuple, list)) else batch
        count += len(first)
        held = [*held, batch][-2:]
over.set(); thread.join()
print(json.dumps({{"added": max(peak[0], resident()) - start, "count": count}}))
"""


def added_memory(source, **options):
    program = WATCHED.format(python=str(ROOT / "python"), source=source, options=options)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("budget", [12, 32])
def test_resident_memory_stays_within_the_budget_and_eight_mebibytes(tmp_path, budget):
    np.save(tmp_path / "x.npy", np.ones((30_000, 512), np.float32))  # 59 MiB
    seen = added_memory(str(tmp_path / "x.npy"), budget=f"{budget}MiB", batch=512)
    assert seen["count"] == 60_000
    assert seen["added"] <= (budget + 8) * MIB


def test_in_a_container_a_little_larger_than_the_budget_nothing_is_killed(tmp_path, control_group):
    np.save(tmp_path / "x.npy", np.ones((60_000, 512), np.float32))  # 117 MiB
    group = control_group(memory=16 * MIB + 64 * MIB + 32 * MIB)
    program = WATCHED.format(
        python=str(ROOT / "python"),
        source=str(tmp_path / "x.npy"),
        options={"budget": "16MiB", "batch": 512},
    )
    done = subprocess.run(
        group.inside(sys.executable, "-c", program), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["count"] == 120_000
    assert group.oom_kills == 0


def test_images_are_decoded_within_the_budget(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (900, 1200, 3), dtype=np.uint8)
    for number in range(4):
        Image.fromarray(pixels).save(tmp_path / f"{number}.jpg", quality=90, progressive=number % 2)
    seen = added_memory(str(tmp_path), budget="24MiB", batch=2, size=224)
    assert seen["count"] == 8
    assert seen["added"] <= (24 + 8) * MIB


def test_pages_behind_the_reader_are_dropped_where_asked_for(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones((20_000, 256), np.float32))
    os.sync()

    def cached():
        import ctypes
        import mmap

        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as area:
            view = np.frombuffer(area, np.uint8)
            pages = -(-len(view) // mmap.PAGESIZE)
            table = (ctypes.c_ubyte * pages)()
            libc = ctypes.CDLL(None, use_errno=True)
            address = ctypes.c_void_p(view.ctypes.data)
            assert libc.mincore(address, ctypes.c_size_t(len(view)), table) == 0
            del view
            return sum(one & 1 for one in table) / pages

    with make(str(path), shuffle=False, cache="keep") as loader:
        for _ in loader:
            pass
    if cached() < 0.9:
        pytest.skip("this file system keeps no pages")
    with make(str(path), shuffle=False, cache="drop") as loader:
        for _ in loader:
            pass
    if cached() > 0.9 and path.stat().st_dev == os.stat("/dev/shm").st_dev:
        pytest.skip("a file system in memory drops nothing")
    assert cached() < 0.2


def test_a_program_that_holds_every_batch_is_told(records):  # noqa: F811
    from holdfast import BudgetHeld

    with make(str(records / "x.npy"), batch=100, budget="64KiB") as loader:
        with pytest.raises(BudgetHeld, match=r"holds all \d+ batches"):
            list(loader)
        assert len([None for _ in loader]) == 10  # it goes on after the release


def test_a_slot_comes_back_when_the_last_view_dies(records):  # noqa: F811
    with make(str(records / "x.npy"), batch=10) as loader:
        batches = iter(loader)
        part = next(batches)[2:4, 1]
        expected = part.copy()
        gc.collect()
        assert loader.stats()["held"] == 1
        for _ in batches:
            pass
        assert (part == expected).all()
        del part, _
        assert loader.stats()["held"] == 0


def test_a_budget_too_small_names_the_smallest_one(records):  # noqa: F811
    from holdfast.loader import LoaderError

    with pytest.raises(LoaderError, match=r"need a budget of (\d+) MiB"):
        make(str(records / "x.npy"), batch=1000, budget="64KiB")
    with make(str(records / "x.npy"), batch=1000, budget="1MiB") as loader:
        smallest = loader.smallest_budget
    with make(str(records / "x.npy"), batch=1000, budget=smallest) as loader:
        assert sum(len(batch) for batch in loader) == 1000
