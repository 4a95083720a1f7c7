"""Reads /proc, and ends what a run left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path


def children(pid: int) -> list[int]:
    """Children of every thread: a child belongs to the thread that started it."""
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
    """One letter; empty if the process is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def living(pid: int) -> list[int]:
    return [each for each in descendants(pid) if state(each) not in ("Z", "X", "")]


def oom_kills() -> int:
    """Of the whole machine since its start; 0 if the kernel does not count them."""
    lines = Path("/proc/vmstat").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def reap_zombies() -> None:
    """Only ours, one by one: a zombie child's pid cannot belong to another process yet."""
    for child in children(os.getpid()):
        if state(child) == "Z":
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def end_everything_below_us(patience: float = 5.0) -> None:
    """We are their subreaper, so every process that a child leaves becomes our child. Only we can
    wait for it, so until then its pid is safe to signal."""
    deadline = time.monotonic() + patience
    while (mine := children(os.getpid())) and time.monotonic() < deadline:
        for child in mine:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in mine:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)
