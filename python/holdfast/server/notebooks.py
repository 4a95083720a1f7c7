"""Memory by notebook: what each kernel of the server and its children hold, watched or not."""

from __future__ import annotations

import contextlib
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from holdfast._descendants import descendants

Json = dict[str, Any]


def rows_of(sessions: list[Json], pids: dict[str, int | None], now: datetime) -> list[Json]:
    """One row for each session with a kernel, the largest first."""
    rows = [_row(session, pids.get(session["kernel"]["id"]), now) for session in sessions]
    return sorted(rows, key=lambda row: row["bytes"] or 0, reverse=True)


def _row(session: Json, pid: int | None, now: datetime) -> Json:
    kernel = session["kernel"]
    path = str(session.get("path") or "")
    return {
        "session": session["id"],
        "kernel": kernel["id"],
        "path": path,
        "name": session.get("name") or path.rpartition("/")[2] or kernel["id"],
        "bytes": None if pid is None else tree_bytes(pid) or None,  # the process may be gone
        "idle": _idle(kernel, now),
    }


def _idle(kernel: Json, now: datetime) -> int | None:
    """Seconds; 0 while a cell runs; None: not known."""
    if kernel.get("execution_state") != "idle":
        return 0 if kernel.get("execution_state") == "busy" else None
    last = str(kernel.get("last_activity") or "").replace("Z", "+00:00")
    try:
        since = datetime.fromisoformat(last)
    except ValueError:
        return None
    if since.tzinfo is None:
        since = since.replace(tzinfo=timezone.utc)
    return max(1, int((now - since).total_seconds()))


def tree_bytes(pid: int) -> int:
    """Memory of a process and all below it, without pages of files."""
    total = 0
    for one in [pid, *descendants(pid)]:
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in Path(f"/proc/{one}/status").read_text().splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) << 10
    return total
