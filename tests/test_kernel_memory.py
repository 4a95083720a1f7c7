"""A cell that fails for want of memory says so: the largest variables, who keeps them, what to do."""

import pytest

from support.jupyter import errors, panel

LIMIT = 400 << 20
MIME = "application/vnd.holdfast.memory+json"


@pytest.fixture
def session(jupyter, control_group):
    group = control_group(memory=LIMIT)
    jupyter.holdfast = jupyter.holdfast.inside(group.inside)
    jupyter.more = {"HOLDFAST_GUARD": "on"}
    made = jupyter.session()
    yield made
    made.do("shutdown")
    made.end()
    assert group.oom_kills == 0


def told(answer: dict) -> dict:
    """What the one panel of a cell says; it comes below the traceback."""
    outputs = [output for output in answer["outputs"] if output["kind"] in ("error", "display_data")]
    (shown,) = [output["data"] for output in outputs if output["kind"] == "display_data"]
    assert outputs[-1]["kind"] == "display_data"
    assert set(shown) == {"text/plain", "text/html", MIME}
    assert shown[MIME]["headline"] in shown["text/plain"]
    return {**shown[MIME], "text": shown["text/plain"]}


def names(facts: dict) -> list[str]:
    return [one["path"] for one in facts["variables"]]


def test_a_refused_cell_names_the_largest_variable_and_its_keeper(session):
    session.run("class Trainer: pass\ntrainer = Trainer()\ntrainer.history = []\nsmall = [1]")
    failed = session.run("while True:\n    trainer.history.append(bytearray(b'x') * (8 << 20))")
    assert "MemoryError" in [error["ename"] for error in errors(failed["outputs"])]
    facts = told(failed)
    assert facts["kind"] == "refused"
    assert "Holdfast kept this kernel alive" in facts["headline"]
    assert "of 400 MiB left" in facts["headline"]
    assert names(facts)[0] == "trainer.history"
    assert facts["advice"][0]["code"] == "trainer.history.clear()"
