"""How long from a death to its text in a client, and how much longer a kernel takes to start."""

from __future__ import annotations

import time
from collections.abc import Iterable
from statistics import median

from bench.jupyter.place import Place
from bench.jupyter.restarts import kernel


def death_to_words(place: Place, numbers: Iterable[int]) -> list[float]:
    """The dying kernel touches a file: its time is the moment of the death."""
    mark = place.folder / "mark"
    mark.touch()
    code = f"import os\nos.utime({str(mark)!r})\nos.abort()"
    times = []
    for _ in numbers:
        with kernel(place, "held") as (_, client):
            request = client.execute(code)
            while True:
                message = client.get_iopub_msg(timeout=30)
                own = message["parent_header"].get("msg_id") == request
                if own and message["msg_type"] == "error":
                    break
            times.append(time.time() - mark.stat().st_mtime)
    return sorted(times)


def start_up(place: Place, numbers: Iterable[int]) -> tuple[float, float]:
    """Median seconds until the kernel has run a cell: watched, plain; taken in turns."""
    seen: dict[str, list[float]] = {"held": [], "plain": []}
    for number in numbers:
        for name, times in seen.items():
            begin = time.monotonic()
            with kernel(place, name) as (_, client):
                client.execute_interactive("pass", timeout=60)
                if number:  # the first pair warms the files up
                    times.append(time.monotonic() - begin)
    return median(seen["held"]), median(seen["plain"])
