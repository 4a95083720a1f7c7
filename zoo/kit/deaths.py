"""Runs one program of the zoo under watch, to its end: its verdict, its evidence, what was said."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from kit.notices import Notice, notices_in
from kit.pythons import python_for
from kit.recording import anonymous
from kit.scenario import ZOO, Scenario
from kit.surroundings import Unable, around, build_native, find_tools

PATIENCE = 180.0


class Hung(Exception):
    """The program did not end in time."""


@dataclass(frozen=True)
class Ended:
    verdict: dict
    evidence: str  # in the form that is kept
    notices: list[Notice] | None  # None: it ran with --quiet


def _environment(scenario: Scenario, scratch: Path, python: str, guard: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HOLDFAST", "PYTEST"))}
    kept |= {
        "HOLDFAST_HOME": str(scratch / "home"),
        "HOLDFAST_GUARD": guard,
        "ZOO_DIR": str(scratch),
        "PYTHON": python,
        "PATH": f"{Path(python).parent}{os.pathsep}{kept['PATH']}",
        "OMP_NUM_THREADS": "2",
        "TF_CPP_MIN_LOG_LEVEL": "2",
    }
    for word in scenario.header.get("environment", "").split():
        name, _, value = word.partition("=")
        kept[name] = value
    return kept


def _command(scenario: Scenario, python: str) -> list[str]:
    default = "sh {file}" if scenario.path.suffix == ".sh" else "{python} {file}"
    words = shlex.split(scenario.header.get("run", default))
    return [w.format(python=python, file=scenario.path, zoo=ZOO) for w in words]


def _launcher(scenario: Scenario, python: str) -> list[str]:
    words = shlex.split(scenario.header.get("launcher", ""))
    return [w.format(python=python, zoo=ZOO) for w in words]


def _wait_ready(scratch: Path, running: subprocess.Popen) -> str:
    """The pid that a program writes into $ZOO_DIR/ready when it is the turn of `then`."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and running.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            if pid := (scratch / "ready").read_text().strip():
                return pid
        time.sleep(0.005)
    raise Hung("it never became ready")


class _Drain:
    """Reads its stderr, but not until the last writer ends: a stuck child outlives its parent."""

    def __init__(self, running: subprocess.Popen) -> None:
        self._pieces: list[bytes] = []
        self._thread = threading.Thread(target=self._read, args=[running.stderr], daemon=True)
        self._thread.start()

    def _read(self, pipe) -> None:
        while pipe is not None and (piece := pipe.read1()):
            self._pieces.append(piece)

    def text(self) -> bytes:
        """Once the session has been ended; a child that left the session may still write."""
        self._thread.join(timeout=5)
        return b"".join(self._pieces)


def _end(running: subprocess.Popen) -> None:
    """Ends the whole session of a run that hangs, with everything left behind in it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def run(scenario: Scenario, binary: Path, pythons: list[str], guard: str = "warn") -> Ended:
    python = python_for(scenario.needs, pythons, other_user="user" in scenario.header)
    if python is None:
        what = f"with {' and '.join(scenario.needs)}" if scenario.needs else "for another user"
        raise Unable(f"no Python {what}; name one with --python")
    find_tools(scenario)
    scratch = Path(tempfile.mkdtemp(prefix="holdfast-zoo-"))
    scratch.chmod(0o777 if "user" in scenario.header else 0o755)  # others must not write to a home
    try:
        return _run_in(scratch, scenario, binary, python, guard)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _run_in(scratch: Path, scenario: Scenario, binary: Path, python: str, guard: str) -> Ended:
    build_native(scenario, scratch)
    environment = _environment(scenario, scratch, python, guard)
    where = {"env": environment, "cwd": scratch}
    if "before" in scenario.header:
        line = scenario.header["before"].format(python=python, file=scenario.path, zoo=ZOO)
        subprocess.run(line, shell=True, check=True, capture_output=True, **where)
    told = {name: scratch / f"{name}.json" for name in ("verdict", "evidence")}
    with around(scenario, scratch, python) as (prefix, beside):
        line = [*prefix, *_launcher(scenario, python), str(binary), "run"]
        line += [] if scenario.aloud else ["--quiet"]
        for name, path in told.items():
            line += [f"--{name}", str(path)]
        line += ["--", *_command(scenario, python)]
        with (scratch / "stdout").open("wb") as out, (scratch / "stderr").open("wb") as err:
            # A pipe, as most starters give a program; a file if the header says so.
            to_file = scenario.header.get("stderr") == "file"
            running = subprocess.Popen(
                line,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err if to_file else subprocess.PIPE,
                start_new_session=True,
                **where,
            )
            drain = _Drain(running)
            try:
                other = _act(scenario, scratch, running, beside, where)
                running.wait(timeout=PATIENCE)
            except (subprocess.TimeoutExpired, Hung) as why:
                raise Hung(str(why)) from None
            finally:
                _end(running)
            if other is not None:
                other.terminate()
                other.wait()
    said = (scratch / "stderr").read_bytes() + drain.text()
    if not told["verdict"].exists():
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        raise Hung(f"no verdict; holdfast ended with {running.returncode}: {last}")
    evidence = json.loads(told["evidence"].read_text())
    return Ended(
        verdict=json.loads(told["verdict"].read_text()),
        evidence=anonymous(evidence, scenario, scratch, python),
        notices=notices_in(said.decode(errors="replace")) if scenario.aloud else None,
    )


def _act(scenario, scratch, running, beside, where) -> subprocess.Popen | None:
    """Runs `then` of the header, what somebody else does to the program: a shell line with $PID."""
    if "then" not in scenario.header:
        return None
    pid = _wait_ready(scratch, running)
    line = scenario.header["then"].format(zoo=ZOO, python=sys.executable)
    own = where | {"env": where["env"] | {"PID": pid, "SUPERVISOR": str(running.pid)}}
    return subprocess.Popen([*beside, "/bin/sh", "-c", line], stdin=subprocess.DEVNULL, **own)
