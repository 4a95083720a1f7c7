"""What keeps the growing memory: named while the program lives, by a walk from its own names."""

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
    "cells": ("deferred", "list"),  # of functions, whose variables hold it
    "uneven": ("clicks", "defaultdict"),  # of lists, one of which has most
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
    assert first["kind"] == "lru_cache" or first["live"] > 60_000_000
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
    """Asking them for a dictionary would create one, and it would be pickled with them."""
    ran = holdfast.run(need(version), "-c", STREAMS)
    assert ran.stdout == b"True\n", ran.stderr
    agent = json.loads(holdfast.call("why", "--evidence").stdout)["agents"][0]
    assert agent["keepers"], "nothing was looked at"


VIEWS = """
import sys, time
import numpy as np
kept = {} if sys.argv[1] == "dict" else []
big = np.ones(1 << 16)
for step in range(300):
    image = np.full(1 << 16, step, dtype=np.float64)
    if sys.argv[1] == "list":
        kept.append(("patch", image[8:16]))
    elif sys.argv[1] == "dict":
        kept[step] = image[8:16]
    elif sys.argv[1] == "shared":
        kept.append((big[8:16], image))
    elif sys.argv[1] == "copies":
        kept.append((image[8:16].copy(), image))
    time.sleep(0.01)
sys.exit(3)
"""


@pytest.mark.parametrize("way", ["list", "dict", "shared", "copies"])
def test_a_view_weighs_as_much_as_the_array_it_keeps(holdfast, way):
    holdfast.run(PYTHON, "-c", VIEWS, way)
    first = json.loads(holdfast.call("why", "--evidence").stdout)["agents"][0]["keepers"][0]
    assert first["name"] == "kept"
    assert first["views"] == (way in ("list", "dict"))
    each = first["live"] / first["items"]
    assert 0.4 < each / (8 << 16) < 1.6


def test_views_of_one_array_weigh_as_much_as_that_array(holdfast):
    """The newest items of the list share it, so older items are no reason to count it again."""
    text = VIEWS.replace('kept.append(("patch", image[8:16]))', "kept.append((image, big[8:16]))")
    holdfast.run(PYTHON, "-c", text.replace("(image, ", "(image[:8].copy(), "), "list")
    keepers = json.loads(holdfast.call("why", "--evidence").stdout)["agents"][0]["keepers"]
    assert all(one["live"] < 4 << 20 for one in keepers)
