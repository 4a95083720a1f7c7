"""Silent trouble of a run (a leak, NaN, a stall), as its supervisor recorded it."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast._numbers import LEAK_TOLD, STALL_TOLD

_PREFIX = "holdfast: "


def told_of(run: str) -> str | None:
    """One sentence about the first kind found; None if none, or if the run is kept elsewhere."""
    if Path(run).name != run:
        return None
    for home in _homes():
        for file in (STALL_TOLD, LEAK_TOLD):
            try:
                text = (home / "runs" / run / file).read_text(errors="replace")
            except OSError:
                continue
            line = text.partition("\n")[0]
            return line[len(_PREFIX) :] if line.startswith(_PREFIX) else line
    return None


def _homes() -> list[Path]:
    """Where the program looks for runs, see docs/black-box.md."""
    asked = os.environ.get("HOLDFAST_HOME")
    if asked:
        return [Path(asked)]
    state = os.environ.get("XDG_STATE_HOME")
    return [Path(state) / "holdfast"] if state else [Path.home() / ".local/state/holdfast"]
