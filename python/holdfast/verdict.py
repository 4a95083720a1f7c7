"""The verdict of a run: the program's JSON (schema 1) as typed, frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from holdfast._command import HoldfastError, text_of
from holdfast._numbers import VERDICT_SCHEMA

SCHEMA = VERDICT_SCHEMA


@dataclass(frozen=True)
class Run:
    """What was run, when and where."""

    id: str = ""
    name: str = ""
    command: tuple[str, ...] = ()
    started: str = ""  # RFC 3339
    ended: str | None = None
    host: str = ""


@dataclass(frozen=True)
class Exit:
    """How the command ended; both are None while it runs."""

    code: int | None = None
    signal: str | None = None  # "SIGKILL"


@dataclass(frozen=True)
class Process:
    """The process whose end decided the run's."""

    pid: int = 0
    role: str = "main"  # "main", "worker", "rank 3"
    command: str = ""


@dataclass(frozen=True)
class Where:
    """A place in the user's own code."""

    file: str = ""
    line: int | None = None
    function: str = ""
    text: str = ""


@dataclass(frozen=True)
class Observation:
    """One thing that was seen, and where it was read."""

    source: str = ""
    text: str = ""


@dataclass(frozen=True)
class Fix:
    """What to change, with a snippet to copy if there is one."""

    text: str = ""
    code: str = ""


@dataclass(frozen=True)
class Finding:
    """A cause of the catalogue: how sure it is, its evidence, and what to do."""

    code: str = ""  # "HF101"
    slug: str = ""  # "cgroup-oom"
    confidence: str = "unknown"  # "certain", "likely", "unknown"
    summary: str = ""
    where: Where | None = None
    evidence: tuple[Observation, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Frame:
    """One line of a Python stack."""

    file: str = ""
    line: int | None = None
    function: str = ""


@dataclass(frozen=True)
class PythonStack:
    """A thread's Python stack, outermost frame first."""

    thread: str = ""
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class NativeFrame:
    """One frame of native code."""

    library: str = ""
    symbol: str = ""
    offset: int = 0


@dataclass(frozen=True)
class MemorySite:
    """A line of code and the memory that it holds."""

    file: str = ""
    line: int = 0
    live_bytes: int = 0
    growth_per_step_bytes: int | None = None
    error_bytes: int | None = None  # two standard deviations: live_bytes is sampled


@dataclass(frozen=True)
class Memory:
    """The most memory seen, and the limit. None if it could not be seen."""

    peak_bytes: int | None = None
    limit_bytes: int | None = None
    top_sites: tuple[MemorySite, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """How a run ended (``end``) and why (``root``; equal to ``end`` if nothing deeper is known).

    Codes and slugs are stable: match on ``verdict.root.slug``.
    """

    schema: int = SCHEMA
    run: Run = field(default_factory=Run)
    outcome: str = "running"  # "finished", "died", "stuck", "running"
    exit: Exit = field(default_factory=Exit)
    process: Process = field(default_factory=Process)
    end: Finding = field(default_factory=Finding)
    root: Finding = field(default_factory=Finding)
    contributing: tuple[Finding, ...] = ()
    python_stack: tuple[PythonStack, ...] = ()
    native_stack: tuple[NativeFrame, ...] = ()
    memory: Memory = field(default_factory=Memory)
    missing: tuple[str, ...] = ()
    foretold: tuple[str, ...] = ()  # codes that `check` had found at the start

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str] | None:
        """In a notebook: the panel that a dead kernel's cell shows, and what a terminal shows."""
        try:
            return {
                "text/plain": text_of("why", self.run.id),
                "text/html": text_of("why", "--html", self.run.id),
            }
        except HoldfastError:  # the run was pruned, or never here: show only these values
            return None
