"""Tables of the user's own libraries: pyarrow, h5py, Polars, DuckDB, datasets."""

import subprocess
import sys

import numpy as np
import pytest

from support.loader import found, make  # noqa: F401
from support.run import ROOT

pytestmark = pytest.mark.check


@pytest.mark.parametrize("shuffle", [False, True])
def test_parquet_and_arrow(tmp_path, shuffle):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    table = pa.table({"a": np.arange(5000), "b": np.arange(5000) / 2, "c": ["x"] * 5000})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=700)
    feather.write_feather(table, tmp_path / "t.feather", chunksize=700)
    for name in ("t.parquet", "t.feather"):
        options = {"columns": ["a", "b"], "batch": 64, "shuffle": shuffle, "budget": "32MiB"}
        with make(str(tmp_path / name), **options) as loader:
            first = np.concatenate([batch["a"].copy() for batch in loader])
            assert sorted(first.tolist()) == list(range(5000))
            assert (first == np.arange(5000)).all() != shuffle
            loader.set_epoch(0)
            batches = iter(loader)
            for _ in range(30):
                batch = next(batches)
                assert (batch["a"] == batch["b"] * 2).all()
            state = loader.state_dict()
        with make(str(tmp_path / name), **options) as again:
            again.load_state_dict(state)
            rest = np.concatenate([batch["a"].copy() for batch in again])
        assert (rest == first[1920:]).all()
        with make(str(tmp_path / name), columns=["a", "b"], labels="a", budget="32MiB") as loader:
            x, y = next(iter(loader))
            assert (x[:, 0] * 2 == y).all()


def test_a_row_group_larger_than_the_budget_is_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    from holdfast.loader import LoaderError

    pq.write_table(
        pa.table({"a": np.random.default_rng(0).normal(size=10**6)}), tmp_path / "t.parquet"
    )
    with pytest.raises(LoaderError, match="smaller row groups"):
        make(str(tmp_path / "t.parquet"), budget="24MiB")


def test_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    rows = np.arange(3000 * 4, dtype=np.float32).reshape(3000, 4)
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file.create_dataset("x", data=rows, chunks=(128, 4), compression="gzip")
        file.create_dataset("y", data=np.arange(3000))
    with make(str(tmp_path / "t.h5"), columns=["x"], labels="y", batch=64) as loader:
        seen = 0
        for x, y in loader:
            assert (x[:, 0] == y * 4).all()
            seen += len(x)
        assert seen == 3000


def test_missing_values_truths_and_lists_are_arrays(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    from holdfast.loader import LoaderError

    count = 300
    holes = [None if n % 7 == 3 else n for n in range(count)]
    table = pa.table(
        {
            "n": np.arange(count),
            "even": pa.array([n % 2 == 0 for n in range(count)]),
            "holes": pa.array(holes, pa.int64()),
            "real": pa.array(holes, pa.float32()),
            "list": pa.FixedSizeListArray.from_arrays(pa.array(np.arange(count * 3)), 3),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=101)
    with make(str(tmp_path / "t.parquet"), budget="32MiB", batch=17) as loader:
        seen = 0
        for batch in loader:
            n = batch["n"]
            assert (batch["even"] == (n % 2 == 0)).all()
            wanted = np.where(n % 7 == 3, np.nan, n)
            assert np.array_equal(batch["holes"], wanted, equal_nan=True)
            assert np.array_equal(batch["real"], wanted.astype("f4"), equal_nan=True)
            assert (batch["list"] == n[:, None] * 3 + np.arange(3)).all()
            seen += len(n)
    assert seen == count
    # A file in Arrow's own format does not say beforehand which columns lack values.
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as out:
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    with make(str(tmp_path / "t.arrow"), budget="32MiB", columns=["holes"]) as loader:
        with pytest.raises(LoaderError, match="'holes' has missing values"):
            next(iter(loader))


def test_a_damaged_row_group_is_named(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    from holdfast.loader import SampleError

    path = tmp_path / "t.parquet"
    pq.write_table(
        pa.table({"a": np.random.default_rng(0).random(4000)}), path, row_group_size=1000
    )
    whole = bytearray(path.read_bytes())
    at = pq.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    whole[at : at + 64] = b"\xff" * 64
    path.write_bytes(whole)
    with make(str(path), budget="32MiB", batch=500, shuffle=False) as loader:
        with pytest.raises(SampleError, match=r"t\.parquet: block 2: "):
            for _ in loader:
                pass


def test_reading_tables_does_not_import_pandas(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": np.arange(100)}), tmp_path / "t.parquet")
    program = f"""
import sys
sys.path.insert(0, {str(ROOT / "python")!r})
from holdfast import Loader
with Loader({str(tmp_path / "t.parquet")!r}, budget="32MiB", as_="numpy") as loader:
    print(sum(len(batch["a"]) for batch in loader), "pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["100", "False"], done.stderr


def sources(rows):
    """The same table as several libraries hold it."""
    pa = pytest.importorskip("pyarrow")
    columns = {"a": np.arange(rows), "b": np.arange(rows) / 2}
    yield "pyarrow", pa.table(columns)
    chunks = [
        pa.table({k: v[i : i + 300] for k, v in columns.items()}) for i in range(0, rows, 300)
    ]
    yield "chunks", pa.concat_tables(chunks)
    for name in ("polars", "pandas", "datasets"):
        try:
            library = __import__(name)
        except ImportError:
            continue
        if name == "datasets":
            yield name, library.Dataset.from_dict(columns)
        else:
            yield name, library.DataFrame(columns)


@pytest.mark.parametrize("shuffle", [False, True])
def test_tables_of_other_libraries(shuffle):
    for name, table in sources(2000):
        with make(table, batch=64, shuffle=shuffle, seed=3) as loader:
            seen = np.concatenate([batch["a"].copy() for batch in loader])
            assert sorted(seen.tolist()) == list(range(2000)), name
            assert (seen == np.arange(2000)).all() != shuffle, name
            batches = iter(loader)
            before = [next(batches)["a"].copy() for _ in range(5)]
            assert len(np.concatenate(before)) == 320
            state = loader.state_dict()
            rest = np.concatenate([batch["a"].copy() for batch in batches])
        with make(table, batch=64, shuffle=shuffle) as again:
            again.load_state_dict(state)
            assert (np.concatenate([batch["a"].copy() for batch in again]) == rest).all(), name
        with make(table, batch=64, labels="a") as loader:
            for x, y in loader:
                assert (x[:, 0] * 2 == y).all(), name


def test_a_dataset_of_texts_or_with_chosen_rows_is_read_by_its_own_access():
    datasets = pytest.importorskip("datasets")
    table = datasets.Dataset.from_dict(
        {"n": list(range(50)), "t": [f"text {n}" for n in range(50)]}
    )
    with make(table, batch=7, shuffle=False) as loader:
        batch = next(iter(loader))
        assert batch["t"] == [f"text {n}" for n in range(7)]
    with make(table.select_columns("n").select(range(10, 20)), batch=7, shuffle=False) as loader:
        assert next(iter(loader))["n"].tolist() == list(range(10, 17))


def test_a_query_of_duckdb_is_a_stream_that_begins_anew():
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    from holdfast.loader import LoaderError

    with duckdb.connect() as base:
        query = base.sql("select range as a, range / 2 as b from range(100000)")
        with pytest.raises(LoaderError, match="cannot be shuffled"):
            make(query, budget="64MiB", shuffle=True)
        with make(query, batch=999, budget="64MiB") as loader:
            for _ in range(2):
                parts = [(batch["a"].copy(), batch["b"].copy()) for batch in loader]
                assert (np.concatenate([a for a, _ in parts]) == np.arange(100000)).all()
                assert all((a == b * 2).all() for a, b in parts)
            batches = iter(loader)
            for _ in range(30):
                next(batches)
            state = loader.state_dict()
        with make(query, batch=999, budget="64MiB") as again:
            again.load_state_dict(state)
            assert next(iter(again))["a"][0] == 30 * 999


def test_a_reader_of_record_batches_is_used_up_after_one_pass():
    pa = pytest.importorskip("pyarrow")
    from holdfast.loader import LoaderError

    reader = pa.table({"a": np.arange(5000)}).to_reader(max_chunksize=700)
    with make(reader, batch=64, budget="64MiB") as loader:
        assert sum(len(batch["a"]) for batch in loader) == 5000
        with pytest.raises(LoaderError, match="used up"):
            iter(loader)
