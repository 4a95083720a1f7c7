"""The memory use of a piece of code, as values, text and HTML: see memory.py."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from holdfast._size import human

_BAR = 24
_COLUMNS = 48
_LEVELS = "▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT = 420, 48
_LEAST_TOLD = 1 << 20
_ESTIMATED = 0.05
_LEFT = 'style="text-align:left"'
_COLOUR = "#e8710a"


@dataclass(frozen=True)
class LineGrowth:
    """A line of the measured code, with everything that was called from it."""

    line: int
    stayed_bytes: int
    peak_bytes: int  # the most held at once, if that was more than before
    text: str = ""


@dataclass(frozen=True)
class NewVariable:
    """A variable that holds more than before, or is new."""

    name: str
    grew_bytes: int
    text: str = ""


@dataclass(frozen=True)
class MemoryUse:
    """The result: figures of the process, of each line that held memory, and the remainder.

    `stayed_bytes` is the sum over all lines, plus `elsewhere_bytes` and `rest_bytes`.
    """

    before_bytes: int = 0
    after_bytes: int = 0
    peak_bytes: int = 0
    lines: tuple[LineGrowth, ...] = ()  # by their numbers
    by_line: bool = False  # whether lines could be seen at all
    elsewhere_bytes: int = 0  # requested meanwhile, but not from these lines: other threads
    rest_bytes: int = 0  # of no line; negative: requested, but not resident
    curve: tuple[tuple[float, int], ...] = ()  # seconds and bytes
    variables: tuple[NewVariable, ...] = ()  # the largest first

    @property
    def stayed_bytes(self) -> int:
        """How much more the process holds than before."""
        return self.after_bytes - self.before_bytes

    def _head(self) -> str:
        return (
            f"peak {human(self.peak_bytes)} ({_signed(self.peak_bytes - self.before_bytes)}), "
            f"stayed {_signed(self.stayed_bytes)}, now {human(self.after_bytes)}"
        )

    def _remainders(self) -> list[tuple[int, str]]:
        """The memory that no line explains, by name, so that the column adds up."""
        if not self.by_line:
            return []
        parts = [
            (self.elsewhere_bytes, "other threads and code that was not called from here"),
            (self.rest_bytes, self._rest_named()),
        ]
        return [(size, text) for size, text in parts if abs(size) >= _LEAST_TOLD]

    def _rest_named(self) -> str:
        told = sum(abs(line.stayed_bytes) for line in self.lines) + abs(self.elsewhere_bytes)
        if abs(self.rest_bytes) < _ESTIMATED * told:
            return "the lines are estimates: they are sampled by bytes"
        if self.rest_bytes >= 0:
            return "of no line: small objects, the allocator's own, libraries that are not seen"
        return "requested by these lines, but not in memory: not written to yet, or shared"

    def _most(self) -> int:
        return max((max(line.peak_bytes, line.stayed_bytes) for line in self.lines), default=1)

    def __str__(self) -> str:
        rows = [self._head()]
        if picture := _spark(self.curve):
            rows.append(f"  {picture}  {self.curve[-1][0] - self.curve[0][0]:.1f} s")
        most = self._most()
        for line in self.lines:
            full = round(_BAR * max(line.peak_bytes, 0) / most)
            kept = min(full, round(_BAR * max(line.stayed_bytes, 0) / most))
            picture = "█" * kept + "░" * (full - kept)
            rows.append(
                f"{_signed(line.stayed_bytes):>10} {human(line.peak_bytes):>9} "
                f"{picture:<{_BAR}} {line.line:>4}  {line.text}"
            )
        for size, text in self._remainders():
            rows.append(f"{_signed(size):>10} {'':9} {'':{_BAR}} {'':4}  ({text})")
        for number, one in enumerate(self.variables):
            label = "new" if number == 0 else ""
            rows.append(f"{_signed(one.grew_bytes):>10} {label:>9} {one.name}  {one.text}")
        if not self.by_line:
            rows.append("by line: only in a watched kernel (holdfast kernel install)")
        return "\n".join(rows)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        most = self._most()
        rows = "".join(
            f"<tr><td>{_signed(line.stayed_bytes)}</td><td>{human(line.peak_bytes)}</td>"
            f"<td {_LEFT}>{_picture(line, most)}</td><td>{line.line}</td>"
            f"<td {_LEFT}><code>{escape(line.text)}</code></td></tr>"
            for line in self.lines
        )
        rows += "".join(
            f"<tr><td>{_signed(size)}</td><td></td><td></td><td></td>"
            f"<td {_LEFT}><i>{escape(text)}</i></td></tr>"
            for size, text in self._remainders()
        )
        table = (
            f'<table class="holdfast-memory"><tr><th>stayed</th><th>peak</th><th {_LEFT}></th>'
            f"<th>line</th><th {_LEFT}></th></tr>{rows}</table>"
        )
        hint = "" if self.by_line else " &middot; by line only in a watched kernel"
        return (
            f"<div>{escape(self._head())}{hint}</div>{_svg(self.curve)}"
            + (table if rows else "")
            + self._variables_html()
        )

    def _variables_html(self) -> str:
        rows = "".join(
            f"<tr><td>{_signed(one.grew_bytes)}</td>"
            f"<td {_LEFT}><code>{escape(one.name)}</code></td>"
            f"<td {_LEFT}>{escape(one.text)}</td></tr>"
            for one in self.variables
        )
        head = f"<tr><th>grew</th><th {_LEFT}>variable</th><th {_LEFT}></th></tr>"
        return f'<table class="holdfast-memory">{head}{rows}</table>' if rows else ""


def _signed(amount: int) -> str:
    return ("+" if amount > 0 else "") + human(amount)


def _picture(line: LineGrowth, most: int) -> str:
    full = round(100 * max(line.peak_bytes, line.stayed_bytes, 0) / most)
    kept = round(100 * max(line.stayed_bytes, 0) / most)
    return (
        '<span style="display:inline-block;width:12em;height:.8em;position:relative">'
        f'<span style="position:absolute;height:100%;width:{full}%;background:{_COLOUR}55"></span>'
        f'<span style="position:absolute;height:100%;width:{kept}%;background:{_COLOUR}"></span>'
        "</span>"
    )


def _spark(curve: tuple[tuple[float, int], ...]) -> str:
    """One row of blocks, each the highest value of its share of the time."""
    if len(curve) < 2:
        return ""
    begin, span = curve[0][0], curve[-1][0] - curve[0][0] or 1.0
    most = [-1] * _COLUMNS
    for moment, size in curve:
        column = min(_COLUMNS - 1, int((moment - begin) / span * _COLUMNS))
        most[column] = max(most[column], size)
    top = max(most)
    picture, last = "", curve[0][1]
    for size in most:
        last = size if size >= 0 else last
        picture += _LEVELS[min(len(_LEVELS) - 1, int(len(_LEVELS) * last / (top or 1)))]
    return picture


def _svg(curve: tuple[tuple[float, int], ...]) -> str:
    if len(curve) < 2:
        return ""
    begin, span = curve[0][0], curve[-1][0] - curve[0][0] or 1.0
    top = max(size for _, size in curve) or 1
    points = " ".join(
        f"{(moment - begin) / span * _WIDTH:.1f},{_HEIGHT - 0.95 * _HEIGHT * size / top:.1f}"
        for moment, size in curve
    )
    label = f"memory over {span:.1f} seconds, at most {human(top)}"
    return (
        f'<svg role="img" aria-label="{label}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" style="display:block"><title>{label}</title>'
        f'<polygon points="0,{_HEIGHT} {points} {_WIDTH},{_HEIGHT}" fill="{_COLOUR}44"/>'
        f'<polyline points="{points}" fill="none" stroke="{_COLOUR}" stroke-width="1.5"/></svg>'
        f'<div style="font-size:11px">{span:.1f} s</div>'
    )
