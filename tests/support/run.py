"""Runs the program under test with its own home, and reads its verdicts."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from support import proc, schema

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parents[1] / "programs"
PYTHON = sys.executable
# How long anything may take before a test is taken to hang. Never a measurement.
PATIENCE = 180.0


def program(name: str, *arguments: object) -> list[str]:
    """A command that runs one of the programs in tests/programs."""
    return [PYTHON, str(PROGRAMS / name), *map(str, arguments)]


def eventually(what: str, look: Callable[[], object], patience: float = PATIENCE):
    """Waits for `look` to return something true, and returns that."""
    deadline = time.monotonic() + patience
    while not (seen := look()):
        assert time.monotonic() < deadline, f"did not happen: {what}"
        time.sleep(0.01)
    return seen


def read_exactly(stream, line: bytes) -> None:
    """The next line of a pipe has to be this one."""
    seen = stream.readline()
    assert seen == line, f"expected {line!r}, got {seen!r}"


class Holdfast:
    """The program under test. `prefix` is put in front of every command line."""

    def __init__(self, binary: Path, home: Path, prefix: Sequence[str] = ()):
        self.binary = binary
        self.home = home
        self.prefix = list(prefix)
        self._started: list[subprocess.Popen] = []

    def inside(self, wrap: Callable[..., list[str]]) -> "Holdfast":
        """The same program, started through a wrapper such as ControlGroup.inside."""
        wrapped = Holdfast(self.binary, self.home, wrap(*self.prefix))
        wrapped._started = self._started
        return wrapped

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        # A run that cannot be kept in its home goes here, where other tests do not find it.
        instead = self.home.parent / "fallback"
        with contextlib.suppress(OSError):
            instead.mkdir(mode=0o700, parents=True, exist_ok=True)
        return kept | {
            "HOLDFAST_HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(instead),
            # Most of these programs must die, so the guard must not save them.
            "HOLDFAST_GUARD": "warn",
        }

    def line(self, *command: str, options: Sequence[str] = ()) -> list[str]:
        """The command line that runs `command` watched."""
        return [*self.prefix, str(self.binary), "run", *options, "--", *command]

    def start(self, *command: str, options: Sequence[str] = (), **how) -> subprocess.Popen:
        how.setdefault("env", self.environment)
        running = subprocess.Popen(self.line(*command, options=options), **how)
        self._started.append(running)
        return running

    def end_all(self) -> None:
        """Ends what a failed test left running."""
        for running in self._started:
            if running.poll() is None:
                for child in proc.children(running.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                running.kill()
                running.wait()

    def start_ready(self, *command: str, **how) -> tuple[subprocess.Popen, int]:
        """Starts a program that says `ready PID` first; returns that pid too."""
        running = self.start(*command, stdout=subprocess.PIPE, **how)
        return running, ready_pid(running)

    def run(self, *command: str, options: Sequence[str] = (), **how) -> subprocess.CompletedProcess:
        return self._call(self.line(*command, options=options), how)

    def call(self, *arguments: str, **how) -> subprocess.CompletedProcess:
        """Any verb, with its output as text."""
        how.setdefault("text", True)
        return self._call([*self.prefix, str(self.binary), *arguments], how)

    def why(self, *arguments: str) -> dict:
        """The verdict of the last run (or the one named), checked against the contract."""
        answer = self.call("why", *arguments, "--json")
        assert answer.returncode == 0, answer.stderr
        verdict = json.loads(answer.stdout)
        schema.check_verdict(verdict)
        return verdict

    def verdict_of(self, *command: str, **how) -> dict:
        """Runs a command to its end and returns the verdict."""
        self.run(*command, **how)
        return self.why()

    def runs(self) -> list[Path]:
        """The run directories, oldest first."""
        return sorted((self.home / "runs").glob("*"))

    def _call(self, line: list[str], how: dict) -> subprocess.CompletedProcess:
        how.setdefault("env", self.environment)
        how.setdefault("timeout", PATIENCE)
        if not {"stdout", "stderr"} & how.keys():
            how["capture_output"] = True
        if "input" not in how:
            how.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(line, **how)


def ready_pid(running: subprocess.Popen) -> int:
    word, pid = running.stdout.readline().split()
    assert word == b"ready"
    return int(pid)


def finish(running: subprocess.Popen) -> tuple[bytes | None, bytes | None]:
    """Waits for a started program and closes its pipes."""
    return running.communicate(timeout=PATIENCE)


def text_of(finding: dict) -> str:
    """Everything a finding says, in one string to search in."""
    lines = [finding["summary"]]
    lines += [f"{piece['source']}: {piece['text']}" for piece in finding["evidence"]]
    return "\n".join(lines)
