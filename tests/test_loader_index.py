"""The index of a large folder: used while nothing has changed, and never an obstacle."""

import os
import resource
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from support.loader import found, images, make  # noqa: F401
from support.run import ROOT


def state_of(loader):
    return loader._feed.core.describe()["index"]


def grow_old(folder):
    """As if nothing had changed for a while: a recent change is listed again."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            os.utime(path, (1e9, 1e9))


def seen(images, index, **options):  # noqa: F811
    with make(str(images), size=8, labels="folder", batch=5, index=index, **options) as loader:
        names = [loader.name(number) for number in range(loader.samples)]
        batches = [(x.copy(), y.copy()) for x, y in loader]
        return state_of(loader), names, batches, loader.classes, loader.state_dict()


def same(one, other):
    pairs = zip(one[2], other[2])
    return (
        one[1] == other[1]
        and one[3:] == other[3:]
        and all((a == b).all() for x, y in pairs for a, b in zip(x, y))
    )


def test_an_index_gives_what_the_folder_gives(images, tmp_path):  # noqa: F811
    grow_old(images)
    plain = seen(images, None)
    first = seen(images, tmp_path / "list.index")
    second = seen(images, tmp_path / "list.index")
    assert (first[0], second[0]) == ("written", "used")
    assert same(plain, first)
    assert same(plain, second)


def test_a_file_that_came_or_went_is_seen(images, tmp_path):  # noqa: F811
    index = tmp_path / "list.index"
    grow_old(images)
    seen(images, index)
    gone = sorted(images.rglob("*.JPG"))[2]
    copy = gone.read_bytes()
    gone.unlink()
    state, names, *_ = seen(images, index)
    assert state == "written"
    assert str(gone) not in names
    (images / "new class").mkdir()
    (images / "new class" / "a.jpg").write_bytes(copy)
    state, names, _, classes, _ = seen(images, index)
    assert state == "written"
    assert str(images / "new class" / "a.jpg") in names
    assert "new class" in classes


def test_a_folder_that_changed_a_moment_ago_is_not_believed(images, tmp_path):  # noqa: F811
    assert seen(images, tmp_path / "list.index")[0] == "written"
    os.utime(images)
    assert seen(images, tmp_path / "list.index")[0] == "written"


def test_an_index_of_another_pattern_is_made_anew(images, tmp_path):  # noqa: F811
    index = tmp_path / "list.index"
    grow_old(images)
    seen(images, index)
    with make(f"{images}/**/*.png", size=8, index=index) as loader:
        assert state_of(loader) == "written"
        assert loader.samples == len(list(images.rglob("*.png")))


def test_a_damaged_index_is_made_anew(images, tmp_path):  # noqa: F811
    index = tmp_path / "list.index"
    grow_old(images)
    plain = seen(images, index)
    whole = index.read_bytes()
    random = np.random.default_rng(0)
    damaged = [whole[:-1], whole + b"\0", whole[:100]]
    for _ in range(40):
        bytes_ = bytearray(whole)
        bytes_[random.integers(8, len(whole))] ^= 1 << int(random.integers(8))
        damaged.append(bytes(bytes_))
    for data in damaged:
        index.write_bytes(data)
        with make(str(images), size=8, labels="folder", batch=5, index=index) as loader:
            assert loader.samples == 24
            assert [loader.name(n) for n in range(24)] == plain[1]
            assert loader.state_dict()["fingerprint"] == plain[4]["fingerprint"]


def test_a_file_that_is_no_index_is_left_alone(images, tmp_path):  # noqa: F811
    from holdfast.loader import LoaderError

    mine = tmp_path / "thesis.txt"
    mine.write_text("years of work, more than a head's worth of bytes " * 4)
    before = mine.read_text()
    with pytest.raises(LoaderError, match="no index of Holdfast's"):
        make(str(images), size=8, index=mine)
    assert mine.read_text() == before
    with pytest.raises(LoaderError, match="needs a folder"):
        make([str(path) for path in images.rglob("*.png")], size=8, index=tmp_path / "i")


def test_a_disk_that_is_full_is_told_and_the_folder_read(images, tmp_path):  # noqa: F811
    index = tmp_path / "list.index"
    program = f"""
import sys
sys.path.insert(0, {str(ROOT / "python")!r})
from holdfast import Loader
with Loader({str(images)!r}, size=8, budget="8MiB", as_="numpy", index={str(index)!r}) as loader:
    print(sum(len(batch) for batch in loader))
"""

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=little_room
    )
    assert done.stdout.split() == ["24"], done.stderr
    assert "the index was not written" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["train"]


def test_the_list_is_counted_in_the_budget(tmp_path):
    from holdfast.loader import LoaderError

    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(3000):
        (folder / f"{'long name ' * 10}{number:05d}.jpg").touch()
    grow_old(folder)
    index = tmp_path / "list.index"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(LoaderError, match="names of the files alone take more"):
                make(str(folder), size=8, budget="256KiB", index=index)
    with pytest.raises(LoaderError, match="an empty file"):
        make(str(folder), size=8, budget="8MiB", index=index)
    assert Path(index).exists()
    with pytest.raises(LoaderError, match="names of the files alone take more"):
        make(str(folder), size=8, budget="256KiB", index=index)
