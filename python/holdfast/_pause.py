"""Stops this process's children for a while; they go on even if this process is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from holdfast._descendants import descendants

# It reads until its input ends: because the pause is over, or because this process has died.
_RELEASE = 'read _; kill -CONT "$@" 2>/dev/null; :'


@contextlib.contextmanager
def children_paused() -> Iterator[list[int]]:
    """Stops the processes below this one; none, if the helper that continues them cannot start."""
    found = [pid for pid in descendants(os.getpid()) if _state(pid) not in "TtZX"]
    release = _start_release(found) if found else None
    stopped: list[int] = []
    try:
        for pid in found if release is not None else []:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP)
                stopped.append(pid)
        _wait_for_stop(stopped)
        yield stopped
    finally:
        if release is not None and release.stdin is not None:
            release.stdin.close()
            release.wait()


def _start_release(pids: list[int]) -> subprocess.Popen[bytes] | None:
    words = ["/bin/sh", "-c", _RELEASE, "sh", *map(str, pids)]
    try:
        # In its own session, so that Ctrl-C does not end it.
        return subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
    except (OSError, MemoryError):
        return None


def _wait_for_stop(pids: list[int]) -> None:
    """A signal may not have arrived yet; a process that reads from disk stops later."""
    for _ in range(100):
        if all(_state(pid) in "TtZX" for pid in pids):
            return
        time.sleep(0.001)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "X"
