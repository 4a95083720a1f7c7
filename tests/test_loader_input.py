"""Impossible requests get an error that helps."""

import os
import pickle

import numpy as np
import pytest

from support.loader import found, make, records  # noqa: F401


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ("nowhere", {}, "no such file"),
        ("empty", {}, "no JPEG or PNG"),
        ("x.npy", {"batch": 0}, "batch must be 1"),
        ("x.npy", {"budget": "much"}, "is not a size"),
        ("a.npz", {}, "save its arrays as .npy"),
        ("text.npy", {}, "not a .npy file"),
        ("cut.npy", {}, "truncated"),
        ("columns.npy", {}, "Fortran"),
        ("objects.npy", {}, "Python objects"),
        ("x.npy", {"rank": 3, "ranks": 2}, "not possible"),
        ("x.npy", {"bad": "ignore"}, "raise"),
        ("x.npy", {"map": 5}, "map must be a function"),
        ("x.npy", {"map": lambda row: None}, "map returned nothing"),
        ("x.npy", {"seed": "first"}, "seed is a whole number"),
        ("x.npy", {"dtype": "flaot32"}, "there is no dtype 'flaot32'"),
        ("x.npy", {"map": abs, "processes": -1}, "processes must be 0 or more"),
    ],
)
def test_what_cannot_be_is_said(records, source, options, words):  # noqa: F811
    from holdfast.loader import LoaderError

    (records / "empty").mkdir()
    np.savez(records / "a.npz", a=np.ones(3))
    (records / "text.npy").write_text("hello")
    (records / "cut.npy").write_bytes((records / "x.npy").read_bytes()[:-10])
    np.save(records / "columns.npy", np.asfortranarray(np.ones((4, 5))))
    np.save(records / "objects.npy", np.array([None, {}]), allow_pickle=True)
    with pytest.raises(LoaderError, match=words):
        make(str(records / source), **options)
    assert not [name for name in os.listdir("/dev/shm") if "holdfast-loader" in name]


def test_a_line_that_is_no_json_is_named(tmp_path):
    from holdfast.loader import SampleError

    (tmp_path / "d.jsonl").write_text('{"a": 1}\n{"a":\n')
    with make(str(tmp_path / "d.jsonl"), shuffle=False, batch=1) as loader:
        batches = iter(loader)
        assert next(batches) == [{"a": 1}]
        with pytest.raises(SampleError, match=r"d\.jsonl:2: this line is not JSON"):
            next(batches)


@pytest.mark.parametrize("change", [None, lambda row: row["a"]])
def test_lines_that_are_no_json_are_skipped_one_by_one(tmp_path, change):
    lines = ["{", *(f'{{"a": {n}}}' for n in range(9)), "no", "{"]
    (tmp_path / "d.jsonl").write_text("\n".join([*lines[:5], "]", *lines[5:]]) + "\n")
    with make(str(tmp_path / "d.jsonl"), shuffle=False, batch=2, map=change, bad="skip") as loader:
        rows = [row["a"] if change is None else row for batch in loader for row in batch]
        stats = loader.stats()
    assert rows == list(range(9))
    assert (stats["samples"], stats["skipped"]) == (9, 4)
    assert [name.split(":")[1] for name in stats["skipped_names"]] == ["1", "6", "12", "13"]


def test_use_after_close_and_pickling_are_errors(records):  # noqa: F811
    from holdfast.loader import LoaderError

    loader = make(str(records / "x.npy"), batch=10)
    batch = next(iter(loader))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(loader)
    wanted = batch.copy()
    loader.close()
    loader.close()
    assert (batch == wanted).all()  # a held batch stays
    for use in (lambda: next(iter(loader)), loader.stats, loader.state_dict, lambda: len(loader)):
        with pytest.raises(LoaderError, match="closed"):
            use()


def test_a_map_that_raises_or_changes_its_shape_names_the_sample(records):  # noqa: F811
    from holdfast.loader import SampleError

    def broken(row):
        return 1 / 0 if row[0] == 160 else row

    def uneven(row):
        return row[:3] if row[0] == 160 else row

    path = str(records / "x.npy")
    with make(path, map=broken, shuffle=False) as loader:
        with pytest.raises(
            SampleError, match=r"x\.npy\[10\]: map raised ZeroDivisionError"
        ) as caught:
            next(iter(loader))
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with make(path, map=uneven, shuffle=False) as loader:
        with pytest.raises(SampleError, match=r"x\.npy\[10\]: shape \(3,\)"):
            next(iter(loader))
