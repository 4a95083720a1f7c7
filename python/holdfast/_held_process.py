"""Processes that were found by looking: signalled only while they are surely still the same."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Any

# From Python 3.9 and Linux 5.3 on.
_open_pidfd: Any = getattr(os, "pidfd_open", None)
_send_by_pidfd: Any = getattr(signal, "pidfd_send_signal", None)


def stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on, the state; none if there is no such process.

    The name, which is the second field, may contain anything.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def start_of(pid: int) -> str | None:
    """When it was started; the next process that gets this pid has another."""
    fields = stat_fields(pid)
    return fields[19] if len(fields) > 19 else None


class HeldProcess:
    """A process that no signal can miss: by its pidfd, else by pid and start time."""

    def __init__(self, pid: int, start: str, pidfd: int | None = None) -> None:
        # kill() takes 0 and -1 for whole groups of processes, and 1 is init.
        assert pid > 1
        assert pid != os.getpid()
        self.pid = pid
        self.start = start
        self._pidfd = pidfd

    @classmethod
    def open(cls, pid: int) -> HeldProcess | None:
        """The process with this pid now; the caller looks again whether it is the one it meant."""
        if pid <= 1 or pid == os.getpid():
            return None
        pidfd = None
        if _open_pidfd is not None and _send_by_pidfd is not None:
            try:
                pidfd = _open_pidfd(pid)
            except ProcessLookupError:
                return None
            except OSError:
                pass  # an older kernel, a filter, no descriptor left: then by its start
        start = start_of(pid)
        if start is None:
            if pidfd is not None:
                os.close(pidfd)
            return None
        return cls(pid, start, pidfd)

    def send(self, number: int) -> bool:
        """False if the process is gone, or belongs to somebody else."""
        with contextlib.suppress(OSError):
            if self._pidfd is not None:
                _send_by_pidfd(self._pidfd, number)
                return True
            if start_of(self.pid) == self.start:
                os.kill(self.pid, number)
                return True
        return False

    def close(self) -> None:
        """Lets go of it."""
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
