"""tools/check-knowledge: a row without a valid proof is an error, in every table."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.run import ROOT

PLACES = "torch/utils/data/dataloader.py"


@pytest.fixture
def tables(tmp_path) -> Path:
    """The folder of the tables, in a copy that a test may change."""
    (tmp_path / "knowledge").mkdir()
    for table in (ROOT / "knowledge").glob("*.txt"):
        (tmp_path / "knowledge" / table.name).write_text(table.read_text())
    (tmp_path / "knowledge/proofs").symlink_to(ROOT / "knowledge/proofs")
    (tmp_path / "zoo").symlink_to(ROOT / "zoo")
    return tmp_path / "knowledge"


def problems(tables: Path) -> list[str]:
    command = [sys.executable, ROOT / "tools/check-knowledge", tables.parent]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert not ended.stderr
    return ended.stdout.splitlines() if ended.returncode else []


def add(tables: Path, table: str, row: str) -> None:
    with (tables / table).open("a") as file:
        file.write(f"{row}\n")


def test_our_rows_all_have_a_proof(tables):
    assert problems(tables) == []


@pytest.mark.parametrize(
    "table, row",
    [
        ("exceptions.txt", "SomeError | words | | | certain"),
        ("telling_lines.txt", "some words | | either | A fix. |"),
        ("launchers.txt", "some_launcher | Some"),
        ("wrappers.txt", "some_wrapper | -"),
        ("places.txt", "holds | /some/ | |"),
        ("pauses.txt", "begins | wander | | | -"),
        ("own_code.txt", "begins | some/"),
        ("schedulers.txt", "[some]\ncalled | Some"),
    ],
)
def test_a_row_without_a_proof_is_named(tables, table, row):
    add(tables, table, row)
    (problem,) = problems(tables)
    assert problem.startswith(f"knowledge/{table}:")
    assert problem.endswith("has no proof")


@pytest.mark.parametrize(
    "table, row, why",
    [
        ("wrappers.txt", "fortune | zoo decoys/timeout", "timeout.json has nothing of that"),
        ("wrappers.txt", "timeout | zoo decoys/nowhere", "no recording 'decoys/nowhere'"),
        ("places.txt", f"ends | /loader.py | | source torch 1 {PLACES}", "is no such place"),
        ("places.txt", "ends | /pty.py | wander | stdlib pty.py", "has no function wander"),
        ("places.txt", "ends | /no.py | | stdlib no.py", "no file no.py"),
        ("pauses.txt", "begins | wander | | | stdlib pty.py", "has no function like 'wander'"),
        ("own_code.txt", "begins | some/ | said tvm_frame", "nobody said that in tvm_frame.txt"),
        ("own_code.txt", "begins | some/ | heard", "no proof is named 'heard'"),
        ("launchers.txt", "some | Some | source torch", "a source is LIBRARY VERSION FILE"),
    ],
)
def test_a_proof_that_proves_something_else_is_named(tables, table, row, why):
    add(tables, table, row)
    (problem,) = problems(tables)
    assert problem.endswith(why)
