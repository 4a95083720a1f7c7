"""A leak that will fill the limit is predicted once, with its line, also in the running cell."""

import subprocess

import pytest

from support.jupyter import guarded_session
from support.run import PYTHON, ROOT, eventually

# The prediction comes when half of it is full; the same time again is left for it.
LIMIT = 500 << 20
LEAK = """\
import os, time, holdfast
history = []
def train():
    history.append(bytearray(b"x") * (1 << 20))
while not os.path.exists({stop!r}) and len(history) < {most}:
    train()
    holdfast.step(loss=1.0)
    time.sleep(0.1)
"""


pytestmark = pytest.mark.check  # half a minute each, because a climb must be seen for a while


@pytest.fixture
def group(control_group):
    return control_group(memory=LIMIT)


def told_in(holdfast):
    return eventually(
        "a word about the leak", lambda: list(holdfast.home.glob("runs/*/trouble-leak.txt"))
    )


@pytest.mark.parametrize("options", [(), ("--quiet",)])
def test_a_leak_is_foretold_on_stderr_once(holdfast, group, tmp_path, options):
    held = holdfast.inside(group.inside)
    script, stop = tmp_path / "train.py", tmp_path / "stop"
    # With --quiet it ends by itself, with more than half in use.
    script.write_text(LEAK.format(stop=str(stop), most=300 if options else 1500))
    environment = held.environment | {"PYTHONPATH": str(ROOT / "python")}
    running = held.start(
        PYTHON, str(script), options=options, env=environment, stderr=subprocess.PIPE, text=True
    )
    if not options:
        (file,) = told_in(held)
        assert file.read_text().startswith(f"holdfast: {script}:4 keeps ")
        stop.touch()
    said = running.communicate()[1]
    assert said.count("more with every step") == (0 if options else 1)
    if not options:
        assert "kept by `history`" in said
        assert "memory is full in about" in said


def test_a_leak_is_foretold_in_the_cell_that_runs(jupyter, group, tmp_path):
    for session in guarded_session(jupyter, group):
        stop = tmp_path / "stop"
        request = session.do("send", code=LEAK.format(stop=str(stop), most=1500))
        shown = session.do("until", request=request, kind="display_data")["data"]
        assert shown["text/plain"].startswith("holdfast: cell [1], line 4 keeps ")
        stop.touch()
        later = session.do("answer", request=request)["outputs"]
        assert [output for output in later if output["kind"] == "display_data"] == []
