"""One recorded run, as ``holdfast runs`` lists it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunEntry:
    """One run of the list; ``holdfast.why(entry.id)`` returns its verdict."""

    id: str = ""
    name: str = ""
    command: str = ""  # one line, secrets masked
    started: str = ""  # RFC 3339
    duration_seconds: float | None = None
    outcome: str = ""  # "finished", "died", "stuck", "running", "unreadable"
    cause: str | None = None  # slug of the root
    live: bool = False
    directory: str = ""  # where its record lies
