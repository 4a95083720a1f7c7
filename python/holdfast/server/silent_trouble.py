"""Silent trouble of a run (a leak, NaN, a stall), as its supervisor recorded it."""

from __future__ import annotations

from pathlib import Path

from holdfast._numbers import LEAK_TOLD, STALL_TOLD

_PREFIX = "holdfast: "


def told_of(directory: str | None) -> str | None:
    """One sentence about the first kind found; None if none, or if nobody knows where it is kept.

    ``holdfast runs`` says where: it looks in more places than one.
    """
    for file in (STALL_TOLD, LEAK_TOLD) if directory else ():
        try:
            text = Path(directory or "", file).read_text(errors="replace")
        except OSError:
            continue
        line = text.partition("\n")[0]
        return line[len(_PREFIX) :] if line.startswith(_PREFIX) else line
    return None
