"""Measures the memory use of a piece of code: what stayed, line by line, and the peak.

Lines come from the agent, which samples by bytes: a line that requested less than about a MiB in
all is not seen, and counts in the remainder. Outside a supervised run there are only the figures
of the process.
"""

from __future__ import annotations

import linecache
import os
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from holdfast._agent import agent, status
from holdfast._command import HoldfastError, ask
from holdfast.memory_use import LineGrowth, MemoryUse, NewVariable

__all__ = ["LineGrowth", "MemoryUse", "NewVariable", "measure"]

_LEAST = 256 << 10
_LEAST_PEAK = _LEAST_VARIABLE = 1 << 20
_MOST_VARIABLES = 5
_WEIGHED = 24
_LOOK_EVERY = 0.01
_MOST_POINTS = 512


class measure:
    """``with holdfast.measure() as m: ...``; then ``m.result``, which print() shows."""

    def __init__(self, file: str | None = None, lines: Iterable[str] | None = None) -> None:
        frame = sys._getframe(1)
        self._file = file if file is not None else frame.f_code.co_filename
        self._lines = None if lines is None else list(lines)
        self._over = threading.Event()
        self.result: MemoryUse | None = None

    def __enter__(self) -> measure:
        self._variables_before = _variables()
        self._sites_before = _sites(self._file) or _Sites()
        self._hwm_before = _figure("VmHWM")
        self._before = _figure("VmRSS")
        self._curve = _Curve(self._before)
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
        self._curve.add(after)
        # The kernel's own peak is exact, but goes back to the start of the process.
        most = hwm if hwm > self._hwm_before else self._curve.most
        sites = _sites(self._file)
        lines = tuple(self._growth(sites)) if sites else ()
        elsewhere = sites.elsewhere - self._sites_before.elsewhere if sites else 0
        explained = sum(line.stayed_bytes for line in lines) + elsewhere
        self.result = MemoryUse(
            before_bytes=self._before,
            after_bytes=after,
            peak_bytes=most,
            lines=lines,
            by_line=sites is not None,
            elsewhere_bytes=elsewhere,
            rest_bytes=after - self._before - explained,
            curve=tuple(self._curve.points),
            variables=_grown(self._variables_before, _variables()),
        )

    def _look(self) -> None:
        while not self._over.wait(_LOOK_EVERY):
            self._curve.add(_figure("VmRSS"))

    def _growth(self, sites: _Sites) -> Iterable[LineGrowth]:
        for line, (held, peak) in sorted(sites.lines.items()):
            held_before, peak_before = self._sites_before.lines.get(line, (0, 0))
            stayed = held - held_before
            most = max(peak - held_before, 0) if peak > peak_before else max(stayed, 0)
            if abs(stayed) > _LEAST or most > _LEAST_PEAK:
                yield LineGrowth(line, stayed, most, self._text(line))

    def _text(self, line: int) -> str:
        if self._lines is None:
            return linecache.getline(self._file, line).strip()
        return self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""


class _Curve:
    """As many points as a picture shows, however long it takes; keeps peaks."""

    def __init__(self, first: int) -> None:
        self._begin = time.monotonic()
        self._step = 0.0
        self.most = first
        self.points = [(0.0, first)]

    def add(self, size: int) -> None:
        self.most = max(self.most, size)
        now = time.monotonic() - self._begin
        last, before = self.points[-1]
        if len(self.points) > 1 and now - last < self._step:
            self.points[-1] = (last, max(before, size))
            return
        self.points.append((now, size))
        if len(self.points) > _MOST_POINTS:
            pairs = [self.points[at : at + 2] for at in range(0, len(self.points), 2)]
            self.points = [(pair[0][0], max(size for _, size in pair)) for pair in pairs]
            self._step = 2 * (now / _MOST_POINTS)


@dataclass
class _Sites:
    """For each line its bytes now and at most, by the innermost frame in the file."""

    lines: dict[int, tuple[int, int]] = field(default_factory=dict)
    elsewhere: int = 0  # bytes


def _figure(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) << 10
    return 0


def _sites(file: str) -> _Sites | None:
    """None if lines are not seen."""
    here = status()
    if here.run is None:
        return None
    try:
        told = ask("why", "--sites", str(here.directory))
    except HoldfastError:
        return None
    own = next((one for one in told.get("agents", []) if one.get("pid") == os.getpid()), None)
    if own is None or not own.get("lines_readable"):
        return None
    found = _Sites()
    for site in own.get("sites", []):
        if site.get("gpu"):
            continue
        frames = reversed(site.get("frames", []))
        line = next((f.get("line") for f in frames if f.get("file") == file), None)
        if line is None:
            found.elsewhere += site["live"]
        else:
            held, peak = found.lines.get(line, (0, 0))
            found.lines[line] = (held + site["live"], peak + site["peak"])
    return found


def _variables() -> list[Any] | None:
    """The notebook's largest variables; None outside a notebook or a watched run."""
    inside = agent()
    module = sys.modules.get("IPython.core.interactiveshell")
    shell = None if module is None else getattr(module.InteractiveShell, "_instance", None)
    if inside is None or shell is None:
        return None
    found: list[Any] = inside.hook("hooks.cell_memory").weigh(shell, _WEIGHED)
    return found


def _grown(before: list[Any] | None, after: list[Any] | None) -> tuple[NewVariable, ...]:
    if not after:
        return ()
    known = {one.name: one.bytes for one in before or ()}
    # A variable missing from the first list may have been as large as its last one.
    floor = min(known.values()) if len(known) >= _WEIGHED else 0
    grown = [
        NewVariable(one.path, one.bytes - known.get(one.name, 0), one.text or one.kind)
        for one in after
        if not one.device and one.bytes - known.get(one.name, floor) >= _LEAST_VARIABLE
    ]
    grown.sort(key=lambda one: one.grew_bytes, reverse=True)
    return tuple(grown[:_MOST_VARIABLES])
