"""The package against a stand-in for the program, so that each answer can be provoked."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

VERDICT = {
    "schema": 1,
    "run": {"id": "r1", "command": ["python", "train.py"], "started": "2025-01-01T00:00:00Z"},
    "outcome": "died",
    "exit": {"code": None, "signal": "SIGKILL"},
    "process": {"pid": 42, "role": "worker", "command": "python train.py"},
    "end": {
        "code": "HF101",
        "slug": "cgroup-oom",
        "confidence": "certain",
        "summary": "killed at 512 MiB",
        "evidence": [{"source": "memory.events", "text": "oom_kill 0 -> 1"}],
        "fixes": [{"text": "keep less"}],
    },
    "root": {
        "code": "HF110",
        "slug": "host-leak",
        "where": {"file": "train.py", "line": 42, "function": "step", "text": "kept.append(x)"},
    },
    "memory": {"peak_bytes": 5, "top_sites": [{"file": "train.py", "line": 42, "live_bytes": 3}]},
    "missing": ["kernel log not readable"],
    "of_a_later_version": {"nested": True},
}


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes a stand-in that prints, complains and exits as told, and notes its arguments."""

    def make(prints="", complains="", status=0):
        path = tmp_path / "holdfast"
        (tmp_path / "prints").write_text(prints)
        path.write_text(
            f"#!/bin/sh\necho \"$@\" >'{tmp_path}/asked'\ncat '{tmp_path}/prints'\n"
            f"echo '{complains}' >&2\nexit {status}\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("HOLDFAST_BIN", str(path))
        return tmp_path / "asked"

    return make


def test_a_verdict_becomes_typed_values_and_unknown_fields_are_ignored(program):
    program(prints=json.dumps(VERDICT))
    verdict = holdfast.why()
    assert verdict.exit.signal == "SIGKILL"
    assert verdict.exit.code is None
    assert verdict.run.command == ("python", "train.py")
    assert verdict.end.evidence[0].text == "oom_kill 0 -> 1"
    assert verdict.root.where is not None
    assert verdict.root.where.line == 42
    assert verdict.memory.top_sites[0].live_bytes == 3
    assert verdict.missing == ("kernel log not readable",)


def test_what_was_not_seen_is_none_and_not_zero(program):
    program(prints=json.dumps(VERDICT))
    verdict = holdfast.why()
    assert verdict.memory.limit_bytes is None
    assert verdict.memory.top_sites[0].growth_per_step_bytes is None
    assert verdict.end.where is None


def test_the_run_asked_for_is_the_run_named_to_the_program(program):
    asked = program(prints=json.dumps(VERDICT))
    holdfast.why("r1")
    assert asked.read_text().split() == ["why", "--json", "r1"]


def test_the_runs_come_in_the_order_the_program_lists_them(program):
    program(prints='{"schema": 1, "runs": [{"id": "b", "cause": null}, {"id": "a", "live": true}]}')
    assert [(run.id, run.cause, run.live) for run in holdfast.runs()] == [
        ("b", None, False),
        ("a", None, True),
    ]


def test_a_run_that_does_not_exist_is_a_lookup_error_with_the_programs_words(program):
    program(complains="no run named r9", status=3)
    with pytest.raises(LookupError, match="no run named r9"):
        holdfast.why("r9")


def test_any_other_failure_is_a_holdfast_error_but_no_missing_run(program):
    program(complains="cannot read the runs", status=1)
    with pytest.raises(holdfast.HoldfastError, match="cannot read the runs") as caught:
        holdfast.runs()
    assert not isinstance(caught.value, holdfast.NoSuchRun)


def test_a_verdict_of_another_schema_is_refused_rather_than_misread(program):
    program(prints=json.dumps(VERDICT | {"schema": 2}))
    with pytest.raises(holdfast.HoldfastError, match="schema 2"):
        holdfast.why()


def test_output_that_is_no_json_is_an_error_that_says_so(program):
    program(prints="Segmentation fault")
    with pytest.raises(holdfast.HoldfastError, match="not JSON"):
        holdfast.why()


def test_a_program_that_is_not_there_is_an_error_that_names_it(monkeypatch):
    monkeypatch.setenv("HOLDFAST_BIN", "/nonexistent/holdfast")
    with pytest.raises(holdfast.HoldfastError, match="/nonexistent/holdfast"):
        holdfast.why()


def test_running_the_module_becomes_the_program(program):
    program(prints="from the program", status=7)
    answer = subprocess.run(
        [sys.executable, "-m", "holdfast", "explain", "HF101"],
        cwd=Path(holdfast.__file__).parent.parent,
        capture_output=True,
        text=True,
    )
    assert (answer.returncode, answer.stdout) == (7, "from the program")


def test_importing_starts_nothing_and_installs_no_hook():
    code = (
        "import sys, threading, signal\n"
        "before = (sys.excepthook, signal.getsignal(signal.SIGTERM), threading.active_count())\n"
        "import holdfast\n"
        "after = (sys.excepthook, signal.getsignal(signal.SIGTERM), threading.active_count())\n"
        "assert before == after\n"
        "assert not {'numpy', 'torch'} & set(sys.modules)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code], cwd=Path(holdfast.__file__).parent.parent, check=True
    )
