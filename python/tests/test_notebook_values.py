"""What notebooks show of a run and of a cell's memory, from made-up figures."""

import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast._size import human
from holdfast.live import of_evidence
from holdfast.memory import LineGrowth, MemoryUse

EVIDENCE = {
    "main_pid": 7,
    "processes": [{"pid": 6, "rss": 1}, {"pid": 7, "rss": 300 << 20}],
    "agents": [{"pid": 7, "steps": {"count": 12, "epoch": 2}}],
    "memory": {
        "limit_bytes": 512 << 20,
        "limit_name": "container limit",
        "peak_bytes": 400 << 20,
        "curve": [{"used_bytes": 1}, {"used_bytes": 384 << 20}],
    },
}


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0 B"), (900, "900 B"), (1536, "1.5 KiB"), (512 << 20, "512 MiB"), (-(3 << 30), "-3 GiB")],
)
def test_amounts_have_three_digits_at_most(amount, text):
    assert human(amount) == text


def test_the_figures_are_those_of_the_main_process_and_of_now():
    live = of_evidence("r1", EVIDENCE)
    assert (live.memory_bytes, live.process_bytes, live.steps) == (384 << 20, 300 << 20, 12)
    assert "384 MiB of 512 MiB, 75% of the container limit" in str(live)
    assert "384 MiB" in live._repr_html_()


def test_file_pages_that_can_be_dropped_are_not_taken():
    point = {"used_bytes": 500 << 20, "limit_bytes": 512 << 20, "left_bytes": 400 << 20}
    memory = {**EVIDENCE["memory"], "curve": [point]}
    assert of_evidence("r1", {"memory": memory}).memory_bytes == 112 << 20
    # From another moment.
    memory = {**memory, "curve": [{**point, "left_bytes": 1 << 40}]}
    assert of_evidence("r1", {"memory": memory}).memory_bytes == 500 << 20


def test_what_was_not_seen_is_not_shown():
    live = of_evidence("r1", {})
    assert live.memory_bytes is None
    assert "memory" not in str(live)


def test_a_process_that_is_not_watched_says_what_to_do():
    with pytest.raises(holdfast.HoldfastError, match="holdfast kernel install"):
        holdfast.live()


def test_a_cells_memory_is_a_table_and_its_text_is_escaped():
    line = LineGrowth(2, 64 << 20, 96 << 20, "kept = a < b")
    use = MemoryUse(100 << 20, 164 << 20, 196 << 20, (line,), by_line=True)
    assert use.stayed_bytes == 64 << 20
    assert "peak 196 MiB (+96 MiB), stayed +64 MiB" in str(use)
    assert "kept = a < b" in str(use)
    assert "kept = a &lt; b" in use._repr_html_()


def test_measuring_without_a_watched_run_has_the_figures_of_the_process():
    with holdfast.measure() as measured:
        kept = bytearray(64 << 20)
    assert measured.result is not None
    assert measured.result.stayed_bytes > 48 << 20
    assert measured.result.peak_bytes >= measured.result.after_bytes
    assert not measured.result.by_line
    del kept


def test_a_verdict_whose_run_is_gone_is_shown_as_plain_values(monkeypatch):
    monkeypatch.setenv("HOLDFAST_BIN", "/nonexistent/holdfast")
    assert holdfast.Verdict()._repr_mimebundle_() is None


def test_importing_brings_no_notebook_along():
    code = "import sys, holdfast; print('IPython' in sys.modules or 'zmq' in sys.modules)"
    folder = Path(holdfast.__file__).parent.parent
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True
    )
    assert answer.stdout == "False\n"
