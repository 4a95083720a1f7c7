"""Runs one program under the guard, in its own cgroup, and says how it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from groups import MIB, Group, Machine

HERE = Path(__file__).parent
HOLDFAST = os.environ.get("HOLDFAST_BIN", str(HERE.parents[1] / "build/release/cli/holdfast"))


@dataclass
class Program:
    name: str
    megabytes: int
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)


@dataclass
class Outcome:
    status: int
    said: str
    peak: float | None  # of the limit, with the page cache
    refused: bool
    kills: int
    late: bool = False  # it ran out of time and was ended

    @property
    def killed(self) -> bool:
        return self.kills > 0

    @property
    def survived(self) -> bool:
        return self.status == 0 and "SURVIVED" in self.said

    @property
    def kind(self) -> str:
        """The outcome of a program that would have been killed."""
        if self.kills:
            return "killed"  # a pool may wait for its killed worker for ever, as without us
        if self.late:
            return "HANG" if "[does not move]" in self.said else "too slow"
        if "WRONG" in self.said:
            return "WRONG"
        if self.survived or (self.status == 1 and "Traceback (most recent call last)" in self.said):
            return "saved"
        return "not dead" if self.status == 3 else "CRASH"

    @property
    def words(self) -> str:
        if self.status < 0:
            return signal.Signals(-self.status).name
        return "finished" if self.status == 0 else f"exit {self.status}"


def _moves(session: int) -> bool:
    """Whether another thread of the session runs or wants to: on a busy machine a slow one gets
    hardly any processor time, but a stuck one does not even ask for it."""

    def wants_to_run(stat: str) -> bool:
        name, fields = stat.rpartition(")")[0], stat.rpartition(")")[2].split()
        return int(fields[3]) == session and fields[0] in "RD" and "(holdfast" not in name

    seen = 0
    for _ in range(30):
        time.sleep(0.1)
        for stat in Path("/proc").glob("[0-9]*/task/[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if wants_to_run(stat.read_text()):
                    seen += 1
                    break
    return seen > 3


def _wait(process: subprocess.Popen[str], group: Group | Machine, seconds: float) -> str:
    """A pool waits for ever for a killed worker: it gets only a few seconds more."""
    left = seconds
    while True:
        try:
            return process.communicate(timeout=1)[0]
        except subprocess.TimeoutExpired:
            left = min(left - 1, 5 if group.kills() else seconds)
        if left <= 0:
            end = "took too long" if _moves(process.pid) else "does not move"
            if process.poll() is not None:  # it ended while we looked
                return process.communicate()[0]
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0] + f"\n[{end}]"


def run(
    program: Program,
    mode: str,
    seconds: float = 120,
    cold: bool = False,
    swap: int = 0,
    machine: bool = False,
) -> Outcome:
    """The cgroup says whether there was a kill, because workers are killed, too."""
    if cold:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
    place = Machine(program.megabytes) if machine else Group(program.megabytes, swap)
    # On a disk, because files in memory would be charged to the group.
    scratch = tempfile.TemporaryDirectory(dir="/var/tmp")
    with place as group, tempfile.TemporaryDirectory() as home, scratch as folder:
        environment = {
            **os.environ,
            **group.environment,
            "HOLDFAST_HOME": home,
            "HF_SCRATCH": folder,
            "PYTHONPATH": str(HERE / "programs"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "2",
            **program.environment,
        }
        environment.pop("HOLDFAST", None)
        watched = program.command
        if mode != "plain":
            watched = [HOLDFAST, "run", f"--guard={mode}", "--", *program.command]
        process = subprocess.Popen(
            group.inside(*watched),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            said = _wait(process, group, seconds)
        finally:  # if we are stopped ourselves, it must not go on taking memory
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        peak = group.peak()
        share = None if peak is None else peak / (program.megabytes * MIB)
        refused = "guard: refused" in said or "guard: memory was about" in said
        late = "[took too long]" in said or "[does not move]" in said
        return Outcome(process.returncode, said, share, refused, group.kills(), late)
