"""What a piece of code did to memory: what stayed, line by line, and the most there was at once.

Lines come from the agent, which samples by bytes: what asked for less than about a MiB in all is
not seen. Outside a supervised run there are only the figures of the process.
"""

from __future__ import annotations

import linecache
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Any

from holdfast._agent import status
from holdfast._command import HoldfastError, ask
from holdfast._size import human

_LEAST = 256 << 10
_LOOK_EVERY = 0.01
_BAR = 24


@dataclass(frozen=True)
class LineGrowth:
    """A line of the code that was measured, with all that was called from it."""

    line: int
    stayed_bytes: int
    peak_bytes: int  # held at once, where that was more than before
    text: str = ""


@dataclass(frozen=True)
class MemoryUse:
    """The result: figures of the process, and of each line that held memory."""

    before_bytes: int = 0
    after_bytes: int = 0
    peak_bytes: int = 0
    lines: tuple[LineGrowth, ...] = ()  # by their numbers
    by_line: bool = False  # whether lines could be seen at all

    @property
    def stayed_bytes(self) -> int:
        """What the process holds more than before."""
        return self.after_bytes - self.before_bytes

    def _head(self) -> str:
        return (
            f"peak {human(self.peak_bytes)} ({_signed(self.peak_bytes - self.before_bytes)}), "
            f"stayed {_signed(self.stayed_bytes)}, now {human(self.after_bytes)}"
        )

    def __str__(self) -> str:
        rows = [self._head()]
        most = max((max(line.peak_bytes, line.stayed_bytes) for line in self.lines), default=1)
        for line in self.lines:
            full = round(_BAR * max(line.peak_bytes, 0) / most)
            kept = min(full, round(_BAR * max(line.stayed_bytes, 0) / most))
            picture = "█" * kept + "░" * (full - kept)
            rows.append(
                f"{_signed(line.stayed_bytes):>10} {human(line.peak_bytes):>9} "
                f"{picture:<{_BAR}} {line.line:>4}  {line.text}"
            )
        if not self.by_line:
            rows.append("by line: only in a kernel under watch (holdfast kernel install)")
        return "\n".join(rows)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        most = max((max(line.peak_bytes, line.stayed_bytes) for line in self.lines), default=1)
        left = 'style="text-align:left"'
        rows = "".join(
            f"<tr><td>{_signed(line.stayed_bytes)}</td><td>{human(line.peak_bytes)}</td>"
            f"<td {left}>{_picture(line, most)}</td><td>{line.line}</td>"
            f"<td {left}><code>{escape(line.text)}</code></td></tr>"
            for line in self.lines
        )
        table = (
            f'<table class="holdfast-memory"><tr><th>stayed</th><th>peak</th><th {left}></th>'
            f"<th>line</th><th {left}></th></tr>{rows}</table>"
        )
        hint = "" if self.by_line else " &middot; by line only in a kernel under watch"
        return f"<div>{escape(self._head())}{hint}</div>" + (table if rows else "")


def _signed(amount: int) -> str:
    return ("+" if amount >= 0 else "") + human(amount)


def _picture(line: LineGrowth, most: int) -> str:
    full = round(100 * max(line.peak_bytes, line.stayed_bytes, 0) / most)
    kept = round(100 * max(line.stayed_bytes, 0) / most)
    return (
        '<span style="display:inline-block;width:12em;height:.8em;position:relative">'
        f'<span style="position:absolute;height:100%;width:{full}%;background:#e8710a55"></span>'
        f'<span style="position:absolute;height:100%;width:{kept}%;background:#e8710a"></span>'
        "</span>"
    )


class measure:
    """``with holdfast.measure() as m: ...``; then ``m.result``, which print() shows."""

    def __init__(self, file: str | None = None, lines: Iterable[str] | None = None) -> None:
        frame = sys._getframe(1)
        self._file = file if file is not None else frame.f_code.co_filename
        self._lines = None if lines is None else list(lines)
        self._most = 0
        self._over = threading.Event()
        self.result: MemoryUse | None = None

    def __enter__(self) -> measure:
        self._sites_before = _sites(self._file)
        self._hwm_before = _figure("VmHWM")
        self._before = self._most = _figure("VmRSS")
        self._watch = threading.Thread(target=self._look, name="holdfast-measure", daemon=True)
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._watch.join()
        after = _figure("VmRSS")
        hwm = _figure("VmHWM")
        # The kernel's own mark is exact, but goes back to the start of the process.
        most = hwm if hwm > self._hwm_before else max(self._most, after)
        sites = _sites(self._file)
        self.result = MemoryUse(
            before_bytes=self._before,
            after_bytes=after,
            peak_bytes=most,
            lines=tuple(self._growth(sites or {})),
            by_line=sites is not None,
        )

    def _look(self) -> None:
        while not self._over.wait(_LOOK_EVERY):
            self._most = max(self._most, _figure("VmRSS"))

    def _growth(self, sites: Mapping[int, tuple[int, int]]) -> Iterable[LineGrowth]:
        before = self._sites_before or {}
        for line, (held, peak) in sorted(sites.items()):
            held_before, peak_before = before.get(line, (0, 0))
            stayed = held - held_before
            most = max(peak - held_before, 0) if peak > peak_before else max(stayed, 0)
            if stayed > _LEAST or stayed < -_LEAST or most > _LEAST:
                yield LineGrowth(line, stayed, most, self._text(line))

    def _text(self, line: int) -> str:
        if self._lines is None:
            return linecache.getline(self._file, line).strip()
        return self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""


def _figure(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) << 10
    return 0


def _sites(file: str) -> dict[int, tuple[int, int]] | None:
    """Line -> bytes held and the most ever held, of the innermost frame in it. None: unseen."""
    here = status()
    if here.run is None:
        return None
    try:
        evidence = ask("why", "--evidence", str(here.directory))
    except HoldfastError:
        return None
    agent = next((a for a in evidence.get("agents", []) if a.get("pid") == os.getpid()), None)
    if agent is None or not agent.get("lines_readable"):
        return None
    found: dict[int, tuple[int, int]] = {}
    for site in agent.get("sites", []):
        line = next(
            (f.get("line") for f in reversed(site.get("frames", [])) if f.get("file") == file), None
        )
        if line is not None:
            held, peak = found.get(line, (0, 0))
            found[line] = (held + site.get("live", 0), peak + site.get("peak", 0))
    return found
