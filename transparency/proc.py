"""Reads /proc, and ends what a run left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path


def children(pid: int) -> list[int]:
    """Of every thread: a child belongs to the thread that started it."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # it ends while it is looked at
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, path.read_text().split())
    return found


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def comm(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().rstrip("\n")
    return ""


def state(pid: int) -> str:
    """One letter; empty for a process that is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def living(pid: int) -> list[int]:
    return [each for each in descendants(pid) if state(each) not in ("Z", "X", "")]


def oom_kills() -> int:
    """Of the whole machine since its start; 0 where the kernel does not count."""
    lines = Path("/proc/vmstat").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def reap_zombies() -> None:
    """Of ours only, one by one: a zombie child's pid cannot be anybody else's yet."""
    for child in children(os.getpid()):
        if state(child) == "Z":
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def end_everything_below_us(patience: float = 5.0) -> None:
    """We are their subreaper, so what a child leaves becomes a child, whose pid is safe to signal
    for as long as nobody but us can wait for it."""
    deadline = time.monotonic() + patience
    while (mine := children(os.getpid())) and time.monotonic() < deadline:
        for child in mine:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in mine:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)
