"""Who keeps what grows: named while the program lives, by a walk from its own names."""

import json

import pytest

from support.interpreters import each, need
from support.run import PROGRAMS, PYTHON

PROGRAM = PROGRAMS / "keeps.py"
NAMES = {
    "attribute": (("self.history", "trainer.history"), "list"),
    "class": ("Trainer.log", "list"),
    "local": ("kept", "list"),
    "global": ("registry", "dict"),
    "nested": ('logs["loss"]', "list"),
    "deque": ("recent", "deque"),
    "closure": ("record.seen", "list"),
    "cache": ("patch", "lru_cache"),
}


def keepers(holdfast, python, way):
    holdfast.run(python, str(PROGRAM), way)
    evidence = json.loads(holdfast.call("why", "--evidence").stdout)
    (agent,) = evidence["agents"]
    return agent["keepers"]


def check_name(keeper, way):
    names, kind = NAMES[way]
    assert keeper["name"] in ((names,) if isinstance(names, str) else names)
    assert keeper["kind"] == kind


def filling_line(way):
    lines = PROGRAM.read_text().splitlines()
    return next((n for n, text in enumerate(lines, 1) if text.endswith(f"# mark: {way}")), None)


@pytest.mark.parametrize("way", NAMES)
def test_a_container_that_grows_is_named(holdfast, way):
    first = keepers(holdfast, PYTHON, way)[0]
    check_name(first, way)
    assert first["items"] > 8
    assert first.get("filled_at") == filling_line(way)


@each("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
@pytest.mark.parametrize("way", ["local", "attribute"])
def test_locals_are_read_on_every_interpreter(holdfast, version, way):
    check_name(keepers(holdfast, need(version), way)[0], way)


def test_nothing_that_does_not_grow_is_named(holdfast):
    assert keepers(holdfast, PYTHON, "nothing") == []


STREAMS = """
import io, pickle, sys, time
text = "x" * 1000
first = io.StringIO(text)
data = []
end = time.monotonic() + 4
while time.monotonic() < end:
    data.append(bytearray(1 << 20))
    time.sleep(0.05)
print(pickle.dumps(first) == pickle.dumps(io.StringIO(text)), flush=True)
sys.exit(3)  # what ended well leaves no evidence
"""


@each("3.8", "3.12")
def test_a_look_leaves_no_mark_on_objects_of_c_types(holdfast, version):
    """They would get a dictionary by being asked for it, and be pickled with it."""
    ran = holdfast.run(need(version), "-c", STREAMS)
    assert ran.stdout == b"True\n", ran.stderr
    agent = json.loads(holdfast.call("why", "--evidence").stdout)["agents"][0]
    assert agent["keepers"], "nothing was looked at"
