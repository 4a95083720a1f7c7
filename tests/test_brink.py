"""Memory touched late: callbacks, an error between two steps; and freeing memory."""

import signal
import subprocess

import pytest

from support import proc
from support.run import PATIENCE, PYTHON, ROOT, eventually, program

MIB = 1 << 20
LIMIT = 192 * MIB


@pytest.fixture
def guarded(holdfast, control_group):
    group = control_group(memory=LIMIT)
    inside = holdfast.inside(group.inside)
    environment = holdfast.environment | {"PYTHONPATH": str(ROOT / "python")}

    def run(*command: str, mode: str = "on") -> subprocess.CompletedProcess:
        return inside.run(*command, options=[f"--guard={mode}"], env=environment, text=True)

    return run


def test_a_step_that_would_not_fit_is_an_error_between_two_steps(guarded):
    ended = guarded(*program("brink_touch.py", "steps"))
    assert ended.stdout.startswith("brink after "), ended.stderr
    assert ended.returncode == 0


def test_without_the_guard_no_step_fails(guarded):
    assert guarded(*program("brink_touch.py", "steps"), mode="off").returncode == -signal.SIGKILL


def test_callbacks_run_before_memory_ends(guarded):
    ended = guarded(*program("brink_touch.py", "callback"))
    assert ended.stdout == f"called {LIMIT // MIB} True\n", ended.stderr
    assert ended.returncode == 0
    assert "ZeroDivisionError" in ended.stderr


def test_a_callback_may_have_the_main_thread_interrupted(guarded):
    ended = guarded(*program("brink_touch.py", "interrupt"))
    assert ended.stdout == "interrupted True True\n", ended.stderr
    assert ended.returncode == 0


def test_a_callback_may_have_the_workers_stopped_while_it_runs(guarded):
    ended = guarded(*program("brink_touch.py", "pause"))
    assert ended.stdout.splitlines()[1:] == ["worker T", "then runs"], ended.stderr
    assert ended.returncode == 0


def test_stopped_workers_go_on_when_their_parent_is_killed_meanwhile(guarded):
    ended = guarded(*program("brink_touch.py", "pause", "die"))
    assert ended.stdout.splitlines()[1:] == ["worker T"], ended.stderr
    worker = int(ended.stdout.split()[0])
    # Nobody reads its output any more, so it ends by itself once it goes on.
    eventually("the worker has ended", lambda: not proc.is_running(worker))


def test_steady_steps_near_the_limit_are_left_alone(guarded):
    code = (
        "import holdfast, mmap\n"
        "M = 1 << 20\n"
        "kept = [bytearray(b'x') * M]\n"
        "left = lambda: holdfast._agent.agent().headroom()[0]\n"
        "while left() > 8 * M: kept.append(bytearray(b'x') * M); \n"
        "for _ in range(300): b = bytearray(b'x') * M; holdfast.step()\n"
        "print('finished')\n"
    )
    ended = guarded(PYTHON, "-c", code)
    assert ended.stdout == "finished\n", ended.stderr


def outside(code: str) -> str:
    ended = subprocess.run(
        [PYTHON, "-c", code],
        env={"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_free_gives_back_what_a_kept_traceback_holds():
    said = outside(
        "import sys, holdfast\n"
        "def fail():\n"
        "    big = [bytes([i % 256]) * 100_000 for i in range(500)]\n"
        "    raise ValueError(len(big))\n"
        "try: fail()\n"
        "except ValueError as error: sys.last_value = error\n"
        "freed = holdfast.free()\n"
        "print(freed.host > 40_000_000, sys.last_value is None, freed.gpu)\n"
    )
    assert said == "True True 0\n"


def test_free_imports_nothing_and_says_so_where_there_is_nothing():
    said = outside(
        "import sys, holdfast\n"
        "holdfast.free(); before = set(sys.modules)\n"
        "holdfast.free(); print(set(sys.modules) - before, holdfast.Freed())\n"
    )
    assert said == "set() nothing came back\n"


def test_outside_a_run_a_callback_is_kept_and_never_called():
    said = outside(
        "import holdfast\n"
        "@holdfast.on_brink\n"
        "def save(): print('called')\n"
        "holdfast.step(); print(issubclass(holdfast.BrinkError, MemoryError))\n"
    )
    assert said == "True\n"
