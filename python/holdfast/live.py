"""The current state of the run that this process belongs to: memory, limit, GPU, steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from holdfast._agent import status
from holdfast._command import HoldfastError, ask
from holdfast._size import human

_BAR = 40


@dataclass(frozen=True)
class Gpu:
    """A GPU's memory, as the driver counts it."""

    name: str = ""
    used_bytes: int | None = None
    total_bytes: int | None = None


@dataclass(frozen=True)
class Live:
    """Figures of the run; None if they could not be seen."""

    run: str = ""
    memory_bytes: int | None = None  # in use, without file pages that can be dropped
    limit_bytes: int | None = None
    limit_name: str = ""  # "container limit", "machine memory"
    peak_bytes: int | None = None
    process_bytes: int | None = None  # of this process, without pages of its files
    gpus: tuple[Gpu, ...] = ()
    steps: int = 0
    epoch: int = 0
    guard: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def line(self) -> str:
        """The figures in one line, the largest first."""
        parts = []
        if self.memory_bytes is not None:
            share = f" of {human(self.limit_bytes)}" if self.limit_bytes else ""
            parts.append(f"{human(self.memory_bytes)}{share} in use")
        if self.process_bytes is not None:
            parts.append(f"{human(self.process_bytes)} of it this kernel's")
        parts += [f"{text} {name}" for name, text in self._gpu_rows()]
        if self.steps:
            parts.append(f"{self.steps:,} steps" + (f", epoch {self.epoch}" if self.epoch else ""))
        if self.guard:
            parts.append(f"guard {self.guard}")
        return " · ".join(parts)

    def __str__(self) -> str:
        return "\n".join(f"{name:<8} {text}" for name, text in self._rows())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="text-align:left"><b>{name}</b></td>'
            f'<td style="text-align:left">{text}</td></tr>'
            for name, text in self._rows(html=True)
        )
        return f'<table class="holdfast-status">{rows}</table>'

    def _rows(self, html: bool = False) -> list[tuple[str, str]]:
        rows = [("run", self.run)]
        if self.memory_bytes is not None:
            text = human(self.memory_bytes)
            if self.limit_bytes:
                share = self.memory_bytes / self.limit_bytes
                text += f" of {human(self.limit_bytes)}, {share:.0%} of the {self.limit_name}  "
                text += meter(share) if html else bar(share)
            rows.append(("memory", text))
        if self.process_bytes is not None:
            rows.append(("kernel", human(self.process_bytes)))
        if self.peak_bytes is not None:
            rows.append(("peak", human(self.peak_bytes)))
        rows += self._gpu_rows()
        if self.steps:
            rows.append(
                ("steps", str(self.steps) + (f", epoch {self.epoch}" if self.epoch else ""))
            )
        if self.guard:
            rows.append(("guard", self.guard))
        return rows

    def _gpu_rows(self) -> list[tuple[str, str]]:
        return [
            (f"GPU {number}", f"{human(gpu.used_bytes)} of {human(gpu.total_bytes)}")
            for number, gpu in enumerate(self.gpus)
            if gpu.used_bytes is not None and gpu.total_bytes
        ]


def bar(share: float) -> str:
    """A part of a whole in characters."""
    full = round(min(max(share, 0), 1) * _BAR / 2)
    return "█" * full + "░" * (_BAR // 2 - full)


def meter(share: float) -> str:
    """A part of a whole as HTML; red if little is left."""
    colour = "#d32f2f" if share > 0.9 else "#e8710a" if share > 0.75 else "#2e7d32"
    width = round(100 * min(max(share, 0), 1))
    return (
        '<span style="display:inline-block;width:10em;height:.7em;border:1px solid #8888">'
        f'<span style="display:block;width:{width}%;height:100%;background:{colour}"></span></span>'
    )


def live() -> Live:
    """Reads the record of this process's run. Raises HoldfastError if nothing is watched."""
    here = status()
    if here.run is None:
        raise HoldfastError(
            "this process is not watched; start it with `holdfast run`, or use a kernel that "
            "`holdfast kernel install` made"
        )
    return of_evidence(here.run, ask("why", "--evidence", str(here.directory)))


def taken(point: dict[str, Any]) -> int | None:
    """Memory in use, without the file pages that the kernel can drop."""
    used: int | None = point.get("used_bytes")
    limit, left = point.get("limit_bytes"), point.get("left_bytes")
    return limit - left if limit is not None and left is not None and left <= limit else used


def _private(process: dict[str, Any]) -> int | None:
    """Without pages of mapped files, which are resident but can be dropped."""
    anonymous: int | None = process.get("anon")
    if anonymous is None:
        return process.get("rss")
    shared: int = process.get("shmem") or 0
    return anonymous + shared


def _peak(memory: dict[str, Any]) -> int | None:
    """Not the limit's own peak, because that counts file pages, too."""
    seen = [point for point in memory.get("curve") or [] if point.get("left_bytes") is not None]
    mark: int | None = memory.get("peak_bytes")
    return max((taken(point) or 0 for point in seen), default=mark)


def of_evidence(run: str, evidence: dict[str, Any]) -> Live:
    """The figures in what ``holdfast why --evidence`` prints."""
    memory = evidence.get("memory", {})
    curve = memory.get("curve") or [{}]
    main = evidence.get("main_pid")
    process: dict[str, Any] = next(
        (p for p in evidence.get("processes", []) if p.get("pid") == main), {}
    )
    agent: dict[str, Any] = next(
        (a for a in evidence.get("agents", []) if a.get("pid") == main), {}
    )
    steps = agent.get("steps", {})
    return Live(
        run=run,
        memory_bytes=taken(curve[-1]),
        limit_bytes=memory.get("limit_bytes"),
        limit_name=memory.get("limit_name", ""),
        peak_bytes=_peak(memory),
        process_bytes=_private(process),
        gpus=tuple(
            Gpu(gpu.get("name", ""), gpu.get("used_last"), gpu.get("total"))
            for gpu in evidence.get("gpus", [])
        ),
        steps=steps.get("count", 0),
        epoch=steps.get("epoch", 0),
        guard=evidence.get("guard") if isinstance(evidence.get("guard"), str) else None,
        evidence=evidence,
    )
