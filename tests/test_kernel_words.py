"""The cell that killed the kernel says why: real kernels, real deaths, with nbclient."""

import json
import subprocess
from pathlib import Path

import pytest

from support.jupyter import errors, panel, words
from support.run import eventually

DEATHS = {
    "segfault": ("import ctypes\nctypes.string_at(0)", "segfault", 2),
    "abort": ("import os\nos.abort()", "native-abort", 2),
    "exit": ("import os\n\nos._exit(3)", "exit-called", 3),
    "exit with 0": ("import os\nos._exit(0)", "exit-called", 2),
    "sigterm": (
        "import os, signal, time\nos.kill(os.getpid(), 15)\ntime.sleep(600)",
        "killed",
        None,
    ),
}


@pytest.mark.parametrize("death", DEATHS)
def test_the_cell_shows_cause_and_line(jupyter, death):
    code, slug, line = DEATHS[death]
    ran = jupyter.notebook("x = 1", code, "print('after')")
    assert ran["raised"] == "CellExecutionError"
    said = words(ran["cells"][1])
    assert f" {slug}: " in said
    if line:
        assert f"cell [2], line {line}" in said
        assert code.splitlines()[line - 1] in said
    assert not errors(ran["cells"][0])
    assert not ran["cells"][2]
    assert jupyter.holdfast.why()["root"]["slug"] == slug


def test_the_first_cell_already_counts(jupyter):
    assert "cell [1], line 1" in words(jupyter.notebook("import os; os.abort()")["cells"][0])


def test_a_container_that_is_full_is_told_with_figures_and_a_picture(jupyter, control_group):
    group = control_group(memory=400 << 20)
    jupyter.holdfast = jupyter.holdfast.inside(group.inside)
    ran = jupyter.notebook(
        "import time\nkept = []\ndef load():\n    return bytearray(8 << 20)",
        "for _ in range(500):\n    kept.append(load())\n    time.sleep(0.01)",
    )
    said = words(ran["cells"][1])
    assert "HF101 cgroup-oom" in said
    assert "400 MiB" in said
    assert "cell [1], line 4" in said
    assert "return bytearray(8 << 20)" in said
    # `exit` leads to the shell, which has every name: it keeps nothing itself.
    assert "exit._ip" not in said
    shown = panel(ran["cells"][1])
    assert "<polyline" in shown
    assert "limit 400 MiB" in shown


def test_cells_after_the_death_fail_and_are_not_skipped(jupyter):
    ran = jupyter.notebook("import os; os.abort()", "x = 1", "x = 2", allow_errors=True)
    assert "HF307" in words(ran["cells"][0])
    assert "not run" in words(ran["cells"][1])
    assert "not run" in words(ran["cells"][2])


def test_a_function_of_an_earlier_cell_is_named_by_that_cell(jupyter):
    ran = jupyter.notebook("import ctypes\ndef boom():\n    ctypes.string_at(0)", "boom()")
    said = words(ran["cells"][1])
    assert "cell [1], line 3" in said
    assert "in boom" in said


def test_lines_below_a_timing_magic_are_those_of_the_cell(jupyter):
    said = words(jupyter.notebook("%%time\nimport os\nos.abort()")["cells"][0])
    assert "cell [1], line 3" in said
    assert "os.abort()" in said


def test_ipc_serves_as_well_as_tcp(jupyter):
    ran = jupyter.notebook("import os; os.abort()", transport="ipc")
    assert "native-abort" in words(ran["cells"][0])


def test_encrypted_ports_serve_as_well(jupyter):
    session = jupyter.session(encryption="required")
    if not session.started["pid"]:
        pytest.skip("this jupyter_client knows no encryption")
    assert "curve_secretkey" in Path(session.started["file"]).read_text()
    answer = session.run("import os; os.abort()")
    session.end()
    assert "native-abort" in words(answer["outputs"])


def test_a_forked_child_that_holds_the_ports_is_in_nobodys_way(jupyter):
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nos.abort()"
    assert "native-abort" in words(jupyter.notebook(code)["cells"][0])


def test_a_death_between_two_cells_is_told_by_the_next(jupyter):
    crash = "import threading, os, time\ndef soon():\n    time.sleep(0.3)\n    os.abort()\n"
    session = jupyter.session()
    session.run(crash + "threading.Thread(target=soon).start()")
    eventually("the kernel's death", lambda: jupyter.holdfast.why()["outcome"] == "died")
    request = session.do("send", code="x = 1")
    said = words(session.do("answer", request=request)["outputs"])
    session.end()
    assert "native-abort" in said


def test_a_death_that_nobody_heard_of_is_shown_by_the_next_kernel(jupyter):
    session = jupyter.session()
    request = session.do(
        "send", code="import os, threading, time\nthreading.Timer(0.3, os.abort).start()"
    )
    session.do("answer", request=request)
    session.do("start_again")
    first = session.run("y = 2")
    second = session.run("y = 3")
    session.do("shutdown")
    session.end()
    assert "native-abort" in json.dumps(first["outputs"])
    assert "died between two cells" in panel(first["outputs"])
    assert first["reply"]["status"] == "ok"
    assert not panel(second["outputs"])


def test_ending_in_good_order_leaves_no_words(jupyter):
    ran = jupyter.notebook("import sys\nsys.exit(3)", "x = 1", allow_errors=True)
    assert errors(ran["cells"][0])[0]["ename"] == "SystemExit"
    assert not any(words(cell) for cell in ran["cells"])
    ran = jupyter.notebook("x = 1", "exit")
    assert ran["raised"] in ("", "DeadKernelError")
    assert not any(words(cell) for cell in ran["cells"])
    assert "HF" not in ran["stderr"]


def test_several_kernels_dying_at_once_speak_each_for_itself(jupyter):
    codes = [
        "import os; os.abort()",
        "import ctypes; ctypes.string_at(0)",
        "import os; os._exit(4)",
    ]
    slugs = ["native-abort", "segfault", "exit-called"]
    sessions = [jupyter.session() for _ in codes]
    requests = [s.do("send", code=code) for s, code in zip(sessions, codes, strict=True)]
    for session, request, slug in zip(sessions, requests, slugs, strict=True):
        answer = session.do("answer", request=request)
        session.end()
        assert f" {slug}: " in words(answer["outputs"])
        assert answer["reply"]["status"] == "error"


def test_the_signing_key_stays_in_the_connection_file(jupyter):
    session = jupyter.session()
    key = json.loads(Path(session.started["file"]).read_text())["key"].encode()
    session.run("import os; os.abort()")
    session.end()
    files = [path for path in jupyter.holdfast.home.rglob("*") if path.is_file()]
    assert any(path.name == "cells.box" for path in files)
    assert not [path for path in files if key in path.read_bytes()]


def test_a_kernel_that_is_no_python_dies_as_before(jupyter, tmp_path):
    """Watched from outside only: no text in a cell, but a verdict for `why`."""
    folder = tmp_path / "data/kernels/shell"
    folder.mkdir(parents=True)
    spec = {"argv": ["sh", "-c", "kill -9 $$"], "display_name": "sh", "language": "sh"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    answer = jupyter.kernel("install", "--from", "shell")
    assert answer.returncode == 0, answer.stderr
    wrapped = json.loads((tmp_path / "data/kernels/holdfast-shell/kernel.json").read_text())
    line = [word.replace("{connection_file}", "/nonexistent") for word in wrapped["argv"]]
    ended = subprocess.run(line, env=jupyter.environment, capture_output=True)
    assert ended.returncode == 128 + 9
    assert jupyter.holdfast.why()["exit"]["signal"] == "SIGKILL"
