"""Programs that stop moving, and programs that only rest: live, and after somebody lost patience.

The programs are those of zoo/programs/not_moving; their headers say what the verdict must be.
"""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.run import PYTHON, ROOT, eventually, finish

STALLS = ROOT / "zoo/programs/not_moving"
LOCK_DEADLOCK, FORK_DEADLOCK = "HF706", "HF701"


def header(name: str) -> dict[str, str]:
    text = (STALLS / f"{name}.py").read_text()
    return dict(re.findall(r"^# zoo ([a-z-]+): (.*)$", text, re.MULTILINE))


def guilty_lines(name: str) -> set[int]:
    lines = (STALLS / f"{name}.py").read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# guilty")}


def python_for(name: str) -> str:
    if "torch" not in header(name).get("needs", ""):
        return PYTHON
    python = os.environ.get("HOLDFAST_TORCH_PYTHON")
    if not python:
        pytest.skip("HOLDFAST_TORCH_PYTHON names no Python with torch")
    return python


class Stall:
    """One of the programs, started under watch and ready to be stuck."""

    def __init__(self, holdfast, name: str, folder: Path, *options: str, **how):
        how.setdefault("stderr", subprocess.PIPE)
        python = python_for(name)
        file = str(STALLS / f"{name}.py")
        line = header(name).get("run", "{python} {file}")
        self.running = holdfast.start(
            *line.format(python=python, file=file).split(),
            options=options,
            env=holdfast.environment | {"ZOO_DIR": str(folder)},
            **how,
        )
        ready = folder / "ready"
        eventually("the program is ready", lambda: ready.exists() and ready.read_text())
        self.pid = int(ready.read_text())

    def kill(self, number: int = signal.SIGTERM) -> bytes:
        os.kill(self.pid, number)
        _, words = finish(self.running)
        return words or b""


def wait_until_stuck(holdfast) -> dict:
    """`holdfast why` on the live run, once it says so."""

    def look():
        verdict = holdfast.why()
        return verdict if verdict["outcome"] == "stuck" else None

    return eventually("the run is called stuck", look)


def wait_until_recorded(holdfast, seconds: float) -> None:
    """The stall is in the record from its fifth second on; then it has to last a while."""
    time.sleep(seconds)


def seconds_of(name: str) -> float:
    return float(re.search(r"sleep ([\d.]+)", header(name)["then"])[1])


STUCK = [
    "crosswise_locks",
    "same_lock_twice",
    "fork_held_lock",
    "fork_loader",
    "loader_worker_hangs",
    "loader_worker_stopped",
    "pool_worker_killed",
    "pool_worker_stopped",
    "endless_loop",
    "gloo_rank_missing",
    "pipe_full",
    "queue_without_producer",
    "held_interpreter",
]


@pytest.mark.parametrize("name", STUCK)
def test_a_hung_program_killed_by_hand_is_told_by_its_hang(holdfast, tmp_path, name):
    wanted = header(name)
    stall = Stall(holdfast, name, tmp_path)
    wait_until_recorded(holdfast, seconds_of(name))
    stall.kill(signal.SIGKILL if "KILL" in wanted["then"] else signal.SIGTERM)
    verdict = holdfast.why()
    assert verdict["end"]["slug"] in wanted["end"].split()
    assert verdict["root"]["slug"] in wanted["root"].split(), verdict["root"]["summary"]
    assert verdict["outcome"] == "stuck"
    assert verdict["process"]["role"] == wanted.get("role", "main")
    if guilty := guilty_lines(name):
        assert verdict["root"]["where"]["line"] in guilty
    for slug in wanted.get("also", "").split():
        assert slug in [finding["slug"] for finding in verdict["contributing"]]


RESTS = ["rests_sleeping", "rests_server", "rests_pool_idle", "rests_event", "rests_validation"]


@pytest.mark.parametrize("name", RESTS)
def test_a_program_that_rests_is_never_called_stuck(holdfast, tmp_path, name):
    stall = Stall(holdfast, name, tmp_path, "--stall-after", "2")
    wait_until_recorded(holdfast, seconds_of(name))
    assert holdfast.why()["outcome"] == "running"
    words = stall.kill(signal.SIGINT if "-INT" in header(name)["then"] else signal.SIGTERM)
    verdict = holdfast.why()
    assert verdict["outcome"] != "stuck"
    assert verdict["root"]["slug"] in header(name)["end"].split()
    assert b"not moving" not in words


def test_a_live_deadlock_is_told_once_with_lines_and_threads(holdfast, tmp_path):
    stall = Stall(holdfast, "crosswise_locks", tmp_path, "--stall-after", "3")
    verdict = wait_until_stuck(holdfast)
    assert verdict["end"]["code"] == verdict["root"]["code"] == LOCK_DEADLOCK
    assert verdict["root"]["confidence"] == "certain"
    assert {stack["thread"].split()[0] for stack in verdict["python_stack"]} >= {"MainThread"}
    assert len(verdict["python_stack"]) == 2
    time.sleep(3)
    words = stall.kill().decode()
    assert words.count("holdfast: not moving") == 1
    assert "HF706" in words and "crosswise_locks.py" in words


def test_nothing_is_told_when_nothing_is_to_be_told(holdfast, tmp_path):
    for options in (["--stall-after", "0"], ["--quiet", "--stall-after", "2"]):
        (tmp_path / "ready").unlink(missing_ok=True)
        stall = Stall(holdfast, "crosswise_locks", tmp_path, *options)
        time.sleep(6)
        assert b"not moving" not in stall.kill()


LOCK_FOR_A_WHILE = """
import os, threading, time
a, b = threading.Lock(), threading.Lock()
a.acquire(); b.acquire()
def wait(lock):
    with lock:
        pass
threads = [threading.Thread(target=wait, args=(lock,)) for lock in (a, b)]
for thread in threads: thread.start()
reading, writing = os.pipe()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
os.mkfifo(os.environ["ZOO_DIR"] + "/go") if not os.path.exists(os.environ["ZOO_DIR"] + "/go") else 0
open(os.environ["ZOO_DIR"] + "/go").read()
a.release(); b.release()
for thread in threads: thread.join()
end = time.monotonic() + 3
while time.monotonic() < end: pass
"""


def test_a_program_that_goes_on_is_not_called_hung(holdfast, tmp_path):
    running = holdfast.start(
        PYTHON,
        "-c",
        LOCK_FOR_A_WHILE,
        options=["--stall-after", "1"],
        env=holdfast.environment | {"ZOO_DIR": str(tmp_path)},
        stderr=subprocess.PIPE,
    )
    wait_until_stuck(holdfast)
    (tmp_path / "go").write_text("x")
    eventually("it moves again", lambda: holdfast.why()["outcome"] != "stuck")
    _, words = finish(running)
    assert running.returncode == 0
    assert b"moves again" in words
    verdict = holdfast.why()
    assert verdict["outcome"] == "finished"
    assert verdict["root"]["slug"] == "clean-exit"


def test_bad_patience_is_bad_usage(holdfast):
    answer = holdfast.call("run", "--stall-after", "soon", "--", "true")
    assert answer.returncode == 2
    assert "--stall-after" in answer.stderr
