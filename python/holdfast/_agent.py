"""The agent inside this process, if ``holdfast run`` has put one there."""

from __future__ import annotations

import _imp
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Status:
    """Whether this process is watched, and where its record is."""

    supervised: bool = False
    run: str | None = None  # the id that ``holdfast.why`` takes
    directory: Path | None = None


def agent() -> Any:
    """The agent's module, or None: an attribute of a built-in module, see agent/bridge/bridge.h."""
    return getattr(_imp, "_holdfast_agent", None)


def step(loss: Any = None) -> None:
    """A step of training has ended; does nothing outside a supervised run.

    Raises ``BrinkError`` if the guard is on and another step like the last ones would not fit into
    memory. After the first call, only these calls count as steps. A loss on a GPU is not read,
    because reading it would wait for the GPU.
    """
    inside = agent()
    if inside is not None:
        inside.hook("hooks.steps").step(loss)
        inside.hook("hooks.brink").at_boundary()


def status() -> Status:
    """What this process knows about its run."""
    inside = agent()
    directory = None if inside is None else inside.run_directory()
    if directory is None:
        return Status()
    return Status(True, Path(directory).name, Path(directory))
