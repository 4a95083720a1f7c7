"""A number that is not finite is reported at the line that made it, not at the check."""

import subprocess

import pytest

from support.interpreters import each, need
from support.run import PROGRAMS, PYTHON


def marked(way: str) -> int:
    lines = (PROGRAMS / "nan_origin.py").read_text().splitlines()
    (line,) = (n for n, text in enumerate(lines, 1) if text.endswith(f"# mark: {way}"))
    return line


@each()
@pytest.mark.parametrize("way", ["train", "late"])
def test_the_line_that_made_it_is_named(holdfast, version, way):
    root = holdfast.verdict_of(need(version), str(PROGRAMS / "nan_origin.py"), way)["root"]
    assert root["slug"] == "nan-loss"
    assert root["where"]["line"] == marked(way)


def test_infinity_that_a_search_begins_with_is_no_such_number(holdfast):
    verdict = holdfast.verdict_of(PYTHON, str(PROGRAMS / "nan_origin.py"), "wrong")
    assert verdict["root"]["slug"] == "exception"


def test_looking_at_arrays_of_infinities_says_nothing(holdfast):
    pytest.importorskip("numpy")
    command = [PYTHON, str(PROGRAMS / "nan_origin.py"), "opposite"]
    plain = subprocess.run(command, capture_output=True, text=True)
    watched = holdfast.run(*command, options=["--quiet"], text=True)
    assert watched.stderr == plain.stderr
    assert holdfast.why()["root"]["slug"] == "nan-loss"
