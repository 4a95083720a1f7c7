"""Which recorded run belongs to which kernel of the server, with as few questions as possible."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

# A starting kernel has no record for a moment; an unwatched one never has.
ASK_SOON = 1.0
ASK_AGAIN = 10.0

# Ends that somebody wanted: a restart from the menu is no death.
ASKED_FOR = ("clean-exit", "interrupted", "hangup", "shut-down")

if TYPE_CHECKING:
    Row = dict[str, Any]


@dataclass(frozen=True)
class Kernel:
    """What the server knows of a kernel; `pid` changes when it is restarted."""

    id: str
    pid: int | None = None
    connection_file: str = ""

    @property
    def file_name(self) -> str:
        """The name of its connection file, which stays the same when the kernel is restarted."""
        return PurePosixPath(self.connection_file).name or f"kernel-{self.id}.json"


def runs_of(kernel: Kernel, rows: list[Row]) -> list[Row]:
    """Its runs, newest first: every kernel has its connection file on the command line."""
    return [row for row in rows if f"/{kernel.file_name}" in row.get("command", "")]


def notebook_of(row: Row, sessions: list[dict[str, Any]]) -> str:
    """The open document whose kernel this run was; "": none of them."""
    command = row.get("command", "")
    for session in sessions:
        if f"/{Kernel(session['kernel']['id']).file_name}" in command:
            return str(session.get("name") or session.get("path") or "")
    return ""


def is_death(row: Row) -> bool:
    """Whether a run of the list ended although nobody wanted it to.

    A dead one may be live for a moment still, while its supervisor tells the clients.
    """
    outcome = row.get("outcome")
    ended_badly = outcome == "died" or (outcome == "stuck" and not row.get("live"))
    return ended_badly and row.get("cause") not in ASKED_FOR


def last_death(kernel: Kernel, rows: list[Row]) -> str | None:
    """The newest of its deaths."""
    return next((str(row["id"]) for row in runs_of(kernel, rows) if is_death(row)), None)


@dataclass(frozen=True)
class Found:
    """A kernel's live run; None with `ended`: it had a run, which is over."""

    run: str | None = None
    ended: bool = False
    directory: str | None = None  # where its record lies


@dataclass(frozen=True)
class _Known:
    pid: int | None
    since: float  # when this pid was first seen
    asked: float
    found: Found


class LiveRuns:
    """The present run of each kernel, remembered until the kernel is restarted."""

    def __init__(
        self, list_runs: Callable[[], list[Row]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._list_runs = list_runs
        self._clock = clock
        self._known: dict[str, _Known] = {}

    def of(self, kernel: Kernel) -> Found:
        """Asks the program only if the answer may have changed."""
        now = self._clock()
        known = self._known.get(kernel.id)
        if known is None or kernel.pid is None or known.pid != kernel.pid:
            known = _Known(kernel.pid, now, float("-inf"), Found())
        elif known.found.run is not None or now - known.asked < _patience(known):
            return known.found
        rows = runs_of(kernel, self._list_runs())
        row = next((row for row in rows if row.get("live")), None)
        if row is None:
            found = Found(ended=bool(rows))
        else:
            found = Found(str(row["id"]), directory=row.get("directory"))
        self._known[kernel.id] = _Known(kernel.pid, known.since, now, found)
        return found

    def forget(self, kernel: Kernel) -> None:
        """Its run is over, or its record is gone."""
        self._known.pop(kernel.id, None)


def _patience(known: _Known) -> float:
    return ASK_SOON if known.asked - known.since < ASK_AGAIN else ASK_AGAIN
