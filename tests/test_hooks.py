"""What the hooks in a Python program record, and that the program cannot notice them."""

import json
import math
from pathlib import Path

import pytest

from support.interpreters import each, need, python_with
from support.run import PROGRAMS, PYTHON, ROOT


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


def test_the_exception_is_kept_where_ipython_is_only_imported(watch):
    # As Keras 3 does where IPython is installed; its shell would keep errors and go on.
    code = "import IPython\nraise KeyError('rate')"
    ended = watch(python_with("IPython"), "-c", code, compare=False)
    assert [raised.type for raised in ended.main.exceptions] == ["KeyError"]


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


@pytest.mark.parametrize(
    ("way", "options", "words"), [("always", [], 1), ("once", [], 0), ("always", ["--quiet"], 0)]
)
def test_a_loss_that_stays_no_number_is_told_once(holdfast, way, options, words):
    program = [PYTHON, str(PROGRAMS / "worthless_steps.py"), way, "5"]
    environment = holdfast.environment | {"PYTHONPATH": str(ROOT / "python")}
    ended = holdfast.run(*program, options=options, env=environment, text=True)
    assert ended.returncode == 0
    told = ended.stderr.count("the loss has not been a finite number since step 3")
    assert told == words, ended.stderr


def test_torch_optimizers_step_by_themselves_and_two_in_turn_count_once(watch):
    ended = watch(python_with("torch"), script("torch"))
    steps = ended.main.steps
    assert (steps.count, steps.source) == (9, b"torch optimizer")
    assert all(loss is not None and math.isfinite(loss) for loss in ended.main.losses)
    assert ended.main.noted("framework")[0].startswith("torch ")


def test_notes_are_no_larger_than_the_box_allows_and_keep_both_ends(watch):
    text = json.dumps("x" * 4000 + "y" * 1000)
    code = f"import hooks_busy\nraise ValueError({text})"
    ended = watch(PYTHON, "-c", f"import sys; sys.path.insert(0, {str(PROGRAMS)!r})\n{code}")
    (raised,) = ended.main.exceptions
    assert raised.message == "x" * 500 + " ... " + "y" * 495
