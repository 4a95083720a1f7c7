"""What ``holdfast check`` found, as typed values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from holdfast._command import HoldfastError, text_of
from holdfast._numbers import CHECK_SCHEMA
from holdfast.verdict import Fix, Observation


@dataclass(frozen=True)
class CheckFinding:
    """Something on the machine or in the environment that needs attention."""

    code: str = ""
    slug: str = ""
    severity: str = "note"  # "blocks", "will-hurt", "note"
    check: str = ""
    summary: str = ""
    evidence: tuple[Observation, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class ImpossibleCheck:
    """A check that was not possible, and why."""

    check: str = ""
    why: str = ""


@dataclass(frozen=True)
class JudgedPython:
    """The Python that was checked; ``program`` is empty if none was found."""

    program: str = ""
    version: str = ""
    frameworks: tuple[str, ...] = ()  # "torch 2.9.0"


@dataclass(frozen=True)
class Check:
    """The findings, worst first; how many checks found nothing; which were not possible."""

    schema: int = CHECK_SCHEMA
    python: JudgedPython = JudgedPython()
    findings: tuple[CheckFinding, ...] = ()
    fine: int = 0
    impossible: tuple[ImpossibleCheck, ...] = ()
    milliseconds: float | None = None
    _arguments: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def blocks(self) -> bool:
        """Whether something will prevent the training from running."""
        return any(finding.severity == "blocks" for finding in self.findings)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str] | None:
        """The page that a terminal shows, for notebooks."""
        try:
            return {"text/plain": text_of("check", *self._arguments, allowed=(0, 1))}
        except HoldfastError:
            return None
