"""The Loader in a program: forks, threads, interrupts, loops that end early."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from support.loader import found, make, records  # noqa: F401
from support.run import ROOT


def test_a_forked_child_has_no_arena_and_is_told(records):  # noqa: F811
    with make(str(records / "x.npy"), batch=10) as loader:
        batch = next(iter(loader))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                next(iter(loader))
            except RuntimeError as error:
                os.write(writer, str(error).encode())
            os._exit(0)
        os.close(writer)
        assert os.waitpid(child, 0)[1] == 0
        assert b"belongs to the process that made it" in os.read(reader, 1000)
        os.close(reader)
        assert batch.sum() >= 0


def test_two_loaders_and_many_threads(records):  # noqa: F811
    path = str(records / "x.npy")
    with make(path, batch=10) as one, make(path, batch=10, seed=1) as two:
        batches = [iter(one), iter(two)]
        sums = [0.0, 0.0]
        lock = threading.Lock()

        def work(which):
            while True:
                batch = next(batches[which], None)
                if batch is None:
                    return
                total = float(batch.sum(dtype=np.float64))
                with lock:
                    sums[which] += total

        threads = [threading.Thread(target=work, args=(n % 2,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    wanted = float(np.load(path).sum(dtype=np.float64))
    assert sums == [wanted, wanted]


def test_an_interrupt_is_seen_and_the_cell_runs_again(tmp_path):
    program = f"""
import signal, sys, threading, time
sys.path.insert(0, {str(ROOT / "python")!r})
from holdfast import Loader
class Slow:
    def __len__(self): return 40
    def __getitem__(self, index):
        time.sleep(0.05)
        return index
with Loader(Slow(), batch=4, as_="numpy") as loader:
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    try:
        list(map(len, loader))
    except KeyboardInterrupt:
        print("interrupted")
    print(sum(map(len, loader)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["interrupted", "40"], done.stderr


def test_a_newer_iteration_ends_the_older(records):  # noqa: F811
    from holdfast.loader import LoaderError

    with make(str(records / "x.npy"), batch=10) as loader:
        old = iter(loader)
        next(old)
        new = iter(loader)
        next(new)
        with pytest.raises(LoaderError, match="another iteration"):
            next(old)
        assert sum(1 for _ in new) == 99


def test_the_last_short_batch_can_be_dropped(records):  # noqa: F811
    with make(str(records / "x.npy"), batch=64, drop_last=True) as loader:
        assert len(loader) == 15
        assert [len(batch) for batch in loader] == [64] * 15


def test_stats_tell_what_is_held_and_waited_for(records):  # noqa: F811
    with make(str(records / "x.npy"), batch=10, budget="64KiB") as loader:
        batches = iter(loader)
        held = next(batches)
        while not loader.stats()["waited_for_program"]:  # until the other slots are full
            time.sleep(0.01)
        stats = loader.stats()
        assert 0 < stats["bytes_held"] <= stats["budget"]
        assert len(held) + sum(len(batch) for batch in batches) == 1000
        stats = loader.stats()
    assert stats["samples"] == 1000
    assert stats["waited_for_data"] > 0
