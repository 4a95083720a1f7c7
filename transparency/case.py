"""A case: a program, how it is started, and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transparency.stage import Stage

# The word in a script that stands for `holdfast run --`, or for nothing.
RUN = "RUN"


class Skip(Exception):
    """This case cannot be tried here; the text says why."""


@dataclass(frozen=True)
class Case:
    """One program. Exactly one of `argv`, `script` and `drive` is given.

    argv    the command; words such as {python} or {c:facts} name tools and built programs
    script  a line for `shell`, in which RUN stands for the watching
    drive   a function that gets the stage, starts the command by itself and returns facts
    """

    name: str
    argv: Sequence[str] = ()
    script: str = ""
    drive: Callable[[Stage], Mapping[str, object]] | None = None
    shell: str = "bash"
    out: str = "pipes"  # how stdout and stderr are wired, see wiring.py
    stdin: bytes | str = b""  # bytes, or "closed", "null", "pipe" (left open and empty)
    env: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], None] | None = None  # runs in the child before the exec
    needs: Sequence[str] = ()  # tools, modules ("module:gevent"), libraries ("lib:jemalloc")
    root: bool = False
    options: Sequence[str] = ()  # of `holdfast run`; without any, the default settings
    mask: str = ""  # a pattern of what differs from run to run: addresses, pids
    seconds: float = 30.0


def argv(name: str, *words: str, **how: object) -> Case:
    return Case(name, argv=words, **how)  # type: ignore[arg-type]


def sh(name: str, script: str, **how: object) -> Case:
    return Case(name, script=script, **how)  # type: ignore[arg-type]


def drive(name: str, **how: object) -> Callable[[Callable[[Stage], Mapping[str, object]]], Case]:
    def make(function: Callable[[Stage], Mapping[str, object]]) -> Case:
        return Case(name, drive=function, **how)  # type: ignore[arg-type]

    return make
