"""The order is a function of (seed, epoch, files) alone, and a small state resumes it."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from support.loader import found, make, numbers, records  # noqa: F401
from support.run import ROOT


def test_order_does_not_depend_on_threads_or_budget(records):  # noqa: F811
    source = (str(records / "x.npy"), str(records / "y.npy"))
    with make(source, batch=16, threads=1, budget="1MiB", seed=3) as one:
        first = numbers(one)
        second = numbers(one)
    with make(source, batch=16, threads=4, budget="32MiB", seed=3) as many:
        assert numbers(many) == first
        assert numbers(many) == second
    assert sorted(first) == list(range(1000))
    assert first != second
    with make(source, batch=16, seed=4) as other:
        assert numbers(other) != first


def test_rows_are_the_files_rows(records):  # noqa: F811
    with make((str(records / "x.npy"), str(records / "y.npy")), batch=33) as loader:
        for x, y in loader:
            assert (x[:, 0] == y * 16).all()


def test_a_state_is_small_and_goes_on_where_it_was_taken(records):  # noqa: F811
    source = (str(records / "x.npy"), str(records / "y.npy"))
    with make(source, batch=16, seed=3) as loader:
        whole = numbers(loader)
        loader.set_epoch(0)
        batches = iter(loader)
        for _ in range(20):
            next(batches)
        state = loader.state_dict()
        assert len(pickle.dumps(state)) < 1024
        assert len(json.dumps(state)) < 1024
    with make(source, batch=16, budget="1MiB", threads=1) as again:
        again.load_state_dict(state)
        assert numbers(again) == whole[320:]
        assert numbers(again) != whole  # the next epoch


def test_a_state_is_valid_for_another_number_of_ranks(records):  # noqa: F811
    source = (str(records / "x.npy"), str(records / "y.npy"))
    seen = []
    states = []
    for rank in range(2):
        with make(source, batch=10, rank=rank, ranks=2) as loader:
            batches = iter(loader)
            for _ in range(7):
                seen += next(batches)[1].tolist()
            states.append(loader.state_dict())
    assert states[0] == states[1]
    for rank in range(3):
        with make(source, batch=10, rank=rank, ranks=3) as loader:
            loader.load_state_dict(states[0])
            seen += numbers(loader)
    # 860 are left for three ranks: 28 steps of 30, then 20 samples, 7 + 7 + 6.
    assert sorted(seen) == list(range(1000))


def test_ranks_share_an_epoch_without_a_sample_twice(records):  # noqa: F811
    source = (str(records / "x.npy"), str(records / "y.npy"))
    seen, lengths = [], set()
    for rank in range(3):
        with make(source, batch=64, rank=rank, ranks=3) as loader:
            batches = [labels.copy() for _, labels in loader]
            lengths.add(len(batches))
            assert len(batches) == len(loader)
            seen += np.concatenate(batches).tolist()
    assert lengths == {6}
    assert sorted(seen) == list(range(1000))


def test_a_state_of_other_data_is_refused(records):  # noqa: F811
    from holdfast.loader import LoaderError

    with make(str(records / "x.npy")) as loader, make(str(records / "y.npy")) as other:
        with pytest.raises(LoaderError, match="other data"):
            other.load_state_dict(loader.state_dict())


KILLED = """
import json, sys
sys.path.insert(0, {python!r})
from holdfast import Loader
state = {state!r}
loader = Loader({source!r}, budget="4MiB", batch=20, seed=9, as_="numpy")
try:
    loader.load_state_dict(json.load(open(state)))
except FileNotFoundError:
    pass
for x, y in loader:
    line = json.dumps([y.tolist(), x.sum(axis=1).tolist(), loader.state_dict()])
    print(line, flush=True)
"""


def test_killed_at_any_place_and_resumed_every_sample_comes_once(records, tmp_path):  # noqa: F811
    source = (str(records / "x.npy"), str(records / "y.npy"))
    state = tmp_path / "state.json"
    program = KILLED.format(python=str(ROOT / "python"), state=str(state), source=source)
    seen = {}
    order = []
    random = np.random.default_rng(1)
    for _ in range(30):
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        over = True
        wanted = int(random.integers(3, 15))
        for count, line in enumerate(child.stdout):
            numbers_, sums, now = json.loads(line)
            seen.update(zip(numbers_, sums))
            order += numbers_
            state.write_text(json.dumps(now))
            if count == wanted:
                child.kill()
                over = False
                break
        child.stdout.close()
        child.wait()
        if over:
            break
    assert over
    assert sorted(order) == list(range(1000))
    rows = np.load(records / "x.npy").sum(axis=1)
    assert all(seen[number] == rows[number] for number in range(1000))
