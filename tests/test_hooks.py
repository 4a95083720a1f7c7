"""What the hooks inside a Python program record, and that the program cannot tell."""

import json
import math
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import agent_box
from support.interpreters import each, find, need
from support.run import PATIENCE, PROGRAMS, PYTHON, ROOT


@dataclass
class Ended:
    status: int
    output: str
    errors: str
    processes: list[agent_box.Process]

    @property
    def main(self) -> agent_box.Process:
        return self.processes[0]


@pytest.fixture(scope="session")
def library(binary) -> Path:
    named = os.environ.get("HOLDFAST_AGENT")
    path = Path(named) if named else binary.parent.parent / "agent" / "libholdfast_agent.so"
    assert path.exists(), f"{path} is not there: run `make build`, or set HOLDFAST_AGENT"
    return path.resolve()


@pytest.fixture
def watch(library, tmp_path):
    """Runs a command with the agent and a box of its own, and without; both must look the same."""

    def run(*command, compare=True) -> Ended:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir(mode=0o700)
        box = folder / "agent.box"
        with box.open("wb") as file:
            file.truncate(agent_box.SIZE)
        box.chmod(0o600)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        clean |= {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        inside = clean | {"HOLDFAST_RUN": str(folder), "LD_PRELOAD": str(library)}

        def once(environment):
            return subprocess.run(
                list(map(str, command)),
                env=environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )

        watched = once(inside)
        if compare:
            plain = once(clean)
            assert watched.stdout == plain.stdout
            assert watched.stderr == plain.stderr
            assert watched.returncode == plain.returncode
        processes = agent_box.read(box)
        for process in processes:
            assert not process.noted("hook_failed")
        return Ended(watched.returncode, watched.stdout, watched.stderr, processes)

    return run


def script(name: str) -> Path:
    return PROGRAMS / f"hooks_{name}.py"


@each()
def test_the_exception_that_ends_the_program_is_kept_whole(watch, version):
    ended = watch(need(version), script("raise"))
    (raised,) = ended.main.exceptions
    assert ended.status == 1
    assert (raised.type, raised.message) == ("OwnError", "the table is empty")
    assert raised.causes == ["KeyError: 'missing'"]
    assert (raised.thread, raised.in_main_thread) == ("MainThread", True)
    lines = [(Path(file).name, function, line) for file, function, line in raised.frames]
    assert lines == [
        ("hooks_raise.py", "inner", 14),
        ("hooks_raise.py", "outer", 18),
        ("hooks_raise.py", "<module>", 21),
    ]


@each()
def test_an_exception_that_ends_a_thread_is_kept_with_its_name(watch, version):
    ended = watch(need(version), script("threads"))
    (raised,) = ended.main.exceptions
    assert (raised.type, raised.message) == ("ValueError", "in a thread")
    assert (raised.thread, raised.in_main_thread) == ("fail", False)
    assert raised.frames[0][1] == "fail"
    assert ended.main.exit[0] != "sys.exit", "a thread that leaves does not end the program"


@each()
@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_an_exception_that_ends_a_child_is_in_the_childs_own_slot(watch, version, way):
    ended = watch(need(version), script("children"), way)
    raised = {
        (raised.type, raised.message): process.pid
        for process in ended.processes
        for raised in process.exceptions
    }
    expected = {("ValueError", "in a child")}
    if way == "fork":
        expected.add(("RuntimeError", "in run"))
    assert set(raised) == expected
    assert ended.main.pid not in raised.values()


@each()
@pytest.mark.parametrize(
    ("way", "status"), [("sys.exit", 3), ("message", 1), ("quit", 4)], ids=lambda v: str(v)
)
def test_a_call_to_leave_is_kept_with_its_status(watch, version, way, status):
    ended = watch(need(version), script("exit"), way)
    assert ended.status == status
    assert ended.main.exit == ("sys.exit", status)
    assert not ended.main.exceptions
    if version not in ("3.8", "3.9"):  # no lines there
        assert ended.main.exit_frames[0][1] == "leave"


@each()
def test_nothing_that_a_signal_handler_raises_is_lost(watch, version):
    assert watch(need(version), script("alarms")).output == "200 alarms\n"


@each()
def test_a_program_sees_no_difference_and_warnings_that_matter_are_kept_once(watch, version):
    ended = watch(need(version), script("surroundings"))
    assert ended.main.noted("warning") == ["RuntimeWarning: overflow encountered in loss"]


@each()
@pytest.mark.parametrize("options", [["-I"], ["-E", "-s"], ["-S"], ["-X", "dev"], ["-W", "error"]])
def test_options_of_the_interpreter_keep_nothing_out(watch, version, options):
    code = (
        "import time; end = time.monotonic() + 0.1\n"
        "while time.monotonic() < end: [bytes(100000) for _ in range(100)]\n"
        "raise ValueError('late')"
    )
    (raised,) = watch(need(version), *options, "-c", code).main.exceptions
    assert raised.message == "late"


def test_a_step_told_by_the_program_counts_and_the_first_bad_loss_is_known(watch):
    ended = watch(PYTHON, script("steps"), ROOT / "python", compare=False)
    steps = ended.main.steps
    assert ended.output == "True\n"
    assert (steps.count, steps.source) == (10, b"holdfast.step()")
    assert steps.first_nonfinite_step == 7
    assert math.isnan(steps.nonfinite_value)
    assert ended.main.losses[0] == 1.0


def python_with(module: str) -> str:
    """An interpreter that has this module: our own, or one of the machine's."""
    candidates = [PYTHON, os.environ.get("HOLDFAST_TORCH_PYTHON"), *map(find, ["3.11", "3.12"])]
    for path in candidates:
        if (
            path
            and subprocess.run([path, "-c", f"import {module}"], capture_output=True).returncode
            == 0
        ):
            return path
    pytest.skip(f"no Python with {module} on this machine")


def test_torch_optimizers_step_by_themselves_and_two_in_turn_count_once(watch):
    ended = watch(python_with("torch"), script("torch"))
    steps = ended.main.steps
    assert (steps.count, steps.source) == (9, b"torch optimizer")
    assert all(loss is not None and math.isfinite(loss) for loss in ended.main.losses)
    assert ended.main.noted("framework")[0].startswith("torch ")


def test_notes_are_no_larger_than_the_box_allows(watch):
    text = json.dumps("x" * 5000)
    code = f"import hooks_busy\nraise ValueError({text})"
    ended = watch(PYTHON, "-c", f"import sys; sys.path.insert(0, {str(PROGRAMS)!r})\n{code}")
    (raised,) = ended.main.exceptions
    assert raised.message == "x" * 1000
