"""Watched kernels behind a real jupyter_server: its menus, and what its browsers get."""

import pytest

from support.jupyter import Jupyter, panel, require, words
from support.run import eventually


@pytest.fixture
def jupyter(holdfast, tmp_path):
    require("ipykernel", "jupyter_server", "tornado")
    made = Jupyter(holdfast, tmp_path)
    made.install()
    return made


@pytest.fixture
def server(jupyter):
    made = jupyter.front_end("server.py")
    made.do("start", kernel="held")
    yield made
    made.finish()


def test_restart_and_shutdown_by_the_server_are_told_as_such(jupyter, server):
    first = jupyter.holdfast.runs()[0]
    server.do("restart")
    verdict = jupyter.holdfast.why(first.name)
    assert verdict["root"]["code"] == "HF908"
    assert {"source": "shutdown_request", "text": "restart"} in verdict["root"]["evidence"]
    server.do("run", code="y = 2")
    second = jupyter.holdfast.runs()[1]
    server.do("shutdown")
    verdict = jupyter.holdfast.why(second.name)
    assert verdict["root"]["code"] == "HF908"
    assert {"source": "shutdown_request", "text": "no restart"} in verdict["root"]["evidence"]


def test_a_browser_gets_the_words_and_then_a_new_kernel(jupyter, server):
    said = server.do("run", code="import os\nos.abort()")
    assert "native-abort" in words(said["outputs"])
    assert "holdfast-verdict" in panel(said["outputs"])
    assert said["outputs"][-1]["kind"] in ("execute_reply", "status")
    eventually("the restart", lambda: len(jupyter.holdfast.runs()) == 2)
    again = server.do("run", code="print('alive again')")
    assert "alive again" in str(again)
    server.do("shutdown")
