"""Programs that stop moving, and programs that only rest: live, and after somebody lost patience.

The programs are those of zoo/programs/not_moving; their headers say what the verdict must be.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.run import PATIENCE, PYTHON, ROOT, Holdfast, eventually, finish, program, text_of

STALLS = ROOT / "zoo/programs/not_moving"
LOCK_DEADLOCK = "HF706"


def header(name: str) -> dict[str, str]:
    text = (STALLS / f"{name}.py").read_text()
    return dict(re.findall(r"^# zoo ([a-z-]+): (.*)$", text, re.MULTILINE))


def guilty_lines(name: str) -> set[int]:
    lines = (STALLS / f"{name}.py").read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# guilty")}


class Stall:
    """One of the programs, started under watch and ready to be stuck."""

    def __init__(self, holdfast: Holdfast, name: str, folder: Path, *options: str):
        self.holdfast = holdfast
        self.name = name
        self.wanted = header(name)
        folder.mkdir(parents=True, exist_ok=True)
        file = str(STALLS / f"{name}.py")
        line = self.wanted.get("run", "{python} {file}")
        self.running = holdfast.start(
            *line.format(python=python_for(name), file=file).split(),
            options=options,
            env=holdfast.environment | {"ZOO_DIR": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr").open("wb"),
            start_new_session=True,
        )
        self._stderr = folder / "stderr"
        self._ready = folder / "ready"
        self.words = ""

    def wait_ready(self) -> int:
        def look() -> str:
            return self._ready.read_text() if self._ready.exists() else ""

        # Several frameworks are imported at once, on machines that have other things to do.
        return int(eventually("it is ready", look, 5 * PATIENCE))

    def kill(self) -> dict:
        """Ends it as its header says; returns the verdict."""
        number = re.search(r"kill -(\w+)", self.wanted["then"])[1]
        os.kill(self.wait_ready(), signal.Signals["SIG" + number])
        self.running.wait(PATIENCE)
        # Stuck workers outlive their parent, and keep its streams open.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.running.pid, signal.SIGKILL)
        self.words = self._stderr.read_text()
        return self.holdfast.why()


def python_for(name: str) -> str | None:
    """None if a package it needs is missing."""
    if "torch" not in header(name).get("needs", ""):
        return PYTHON
    return os.environ.get("HOLDFAST_TORCH_PYTHON")


def wait_until_stuck(holdfast) -> dict:
    """`holdfast why` on the live run, once it says so."""

    def look():
        verdict = holdfast.why()
        return verdict if verdict["outcome"] == "stuck" else None

    eventually("the run is recorded", lambda: holdfast.call("why").returncode == 0)
    return eventually("the run is called stuck", look)


STUCK = sorted(path.stem for path in STALLS.glob("*.py") if "stuck" in path.read_text())
RESTS = sorted(path.stem for path in STALLS.glob("rests_*.py"))


@pytest.fixture(scope="module")
def together(binary, tmp_path_factory):
    """Starts programs side by side, because each must last a while, and ends them all."""
    started: dict[str, Stall] = {}

    def start(names: list[str], *options: str) -> dict[str, Stall]:
        folder = tmp_path_factory.mktemp("stalls")
        for name in names:
            if python_for(name):
                holdfast = Holdfast(binary, folder / name / "home")
                started[name] = Stall(holdfast, name, folder / name, *options)
        for name in names:
            if name in started:
                started[name].wait_ready()
        return started

    yield start
    for stall in started.values():
        stall.holdfast.end_all()


@pytest.fixture(scope="module")
def hung(together) -> dict[str, dict]:
    """The verdict of each after it was killed."""
    stalls = together(STUCK)
    # A stall is recorded from the fifth quiet second on; some causes need twenty.
    time.sleep(25)
    return {name: stalls[name].kill() for name in STUCK if name in stalls}


@pytest.mark.parametrize("name", STUCK)
def test_a_hung_program_killed_by_hand_is_told_by_its_hang(hung, name):
    if name not in hung:
        pytest.skip("needs torch: see `make frameworks`")
    wanted, verdict = header(name), hung[name]
    assert verdict["end"]["slug"] in wanted["end"].split()
    assert verdict["root"]["slug"] in wanted["root"].split(), verdict["root"]["summary"]
    assert verdict["outcome"] == "stuck"
    assert verdict["process"]["role"] == wanted.get("role", "main")
    if guilty := guilty_lines(name):
        assert verdict["root"]["where"]["line"] in guilty
    for slug in wanted.get("also", "").split():
        assert slug in [finding["slug"] for finding in verdict["contributing"]]


@pytest.fixture(scope="module")
def rested(together) -> dict[str, tuple[dict, dict, str]]:
    """The answer of `why` for each while it lives and after its end, and what was printed."""
    stalls = together(RESTS, "--stall-after", "2")
    time.sleep(15)
    seen = {name: stalls[name].holdfast.why() for name in RESTS if name in stalls}
    return {name: (seen[name], stalls[name].kill(), stalls[name].words) for name in seen}


@pytest.mark.parametrize("name", RESTS)
def test_a_program_that_rests_is_never_called_stuck(rested, name):
    if name not in rested:
        pytest.skip("needs torch: see `make frameworks`")
    live, verdict, words = rested[name]
    assert live["outcome"] == "running"
    assert verdict["outcome"] != "stuck"
    expected = header(name)
    assert verdict["root"]["slug"] in expected.get("root", expected["end"]).split()
    assert "holdfast: not moving" not in words


def test_a_live_deadlock_is_told_once_with_lines_and_threads(holdfast, tmp_path):
    stall = Stall(holdfast, "crosswise_locks", tmp_path, "--stall-after", "3")
    verdict = wait_until_stuck(holdfast)
    assert verdict["end"]["code"] == verdict["root"]["code"] == LOCK_DEADLOCK
    assert verdict["root"]["confidence"] == "certain"
    assert {stack["thread"].split()[0] for stack in verdict["python_stack"]} >= {"MainThread"}
    assert len(verdict["python_stack"]) == 2
    time.sleep(3)
    stall.kill()
    words = stall.words
    assert words.count("holdfast: not moving") == 1
    assert "HF706" in words and "crosswise_locks.py" in words


def test_nothing_is_told_when_nothing_is_to_be_told(holdfast, tmp_path):
    stalls = [
        Stall(holdfast, "crosswise_locks", tmp_path / options[0], *options)
        for options in (["--stall-after", "0"], ["--quiet", "--stall-after", "2"])
    ]
    time.sleep(8)
    for stall in stalls:
        stall.kill()
        assert "holdfast: not moving" not in stall.words


# The only way out of such a lock: a handler that releases it.
UNTIL_TOLD = """
import signal, threading, time
lock = threading.Lock()
lock.acquire()
signal.signal(signal.SIGUSR1, lambda *_: lock.release())
lock.acquire()
end = time.monotonic() + 4
while time.monotonic() < end: pass
"""


def test_a_program_that_goes_on_is_not_called_hung(holdfast):
    running = holdfast.start(
        PYTHON, "-c", UNTIL_TOLD, options=["--stall-after", "1"], stderr=subprocess.PIPE
    )
    stuck = wait_until_stuck(holdfast)
    os.kill(stuck["process"]["pid"], signal.SIGUSR1)
    eventually("it moves again", lambda: holdfast.why()["outcome"] != "stuck")
    _, words = finish(running)
    assert running.returncode == 0
    assert b"moves again" in words
    verdict = holdfast.why()
    assert verdict["outcome"] == "finished"
    assert verdict["root"]["slug"] == "clean-exit"


@pytest.fixture
def frozen_disk(tmp_path):
    """Its own file system, and functions that freeze and thaw it."""
    tools = ("mkfs.ext4", "mount", "fsfreeze")
    if os.geteuid() != 0 or not all(shutil.which(tool) for tool in tools):
        pytest.skip("freezing a file system needs root, mkfs.ext4 and fsfreeze")
    image, folder = tmp_path / "disk.img", tmp_path / "disk"
    image.write_bytes(b"")
    os.truncate(image, 16 << 20)
    folder.mkdir()
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    mounted = subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["fsfreeze", "-u", folder], capture_output=True)
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_disk_that_does_not_answer_is_named(holdfast, frozen_disk):
    running, pid = holdfast.start_ready(
        *program("write_on.py", frozen_disk / "log"), options=["--stall-after", "2"]
    )
    subprocess.run(["fsfreeze", "-f", frozen_disk], check=True)
    live = wait_until_stuck(holdfast)
    assert live["root"]["slug"] == "io-stall"
    assert live["root"]["where"]["function"] == "keep_writing"
    time.sleep(4)
    os.kill(pid, signal.SIGKILL)
    subprocess.run(["fsfreeze", "-u", frozen_disk], check=True)
    finish(running)
    verdict = holdfast.why()
    assert verdict["outcome"] == "stuck"
    assert (verdict["end"]["slug"], verdict["root"]["slug"]) == ("killed", "io-stall")
    assert "state D" in text_of(verdict["root"])


def test_bad_patience_is_bad_usage(holdfast):
    answer = holdfast.call("run", "--stall-after", "soon", "--", "true")
    assert answer.returncode == 2
    assert "--stall-after" in answer.stderr
