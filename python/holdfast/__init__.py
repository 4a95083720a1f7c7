"""Holdfast from Python: the verdict of a run as typed values; and, inside one, its steps.

The package holds no logic of its own; it asks the ``holdfast`` program, or the agent.
"""

from typing import Any

from holdfast._agent import Status, status, step
from holdfast._command import HoldfastError, NoSuchRun, ask
from holdfast._load import load
from holdfast.brink import Brink, BrinkError, on_brink
from holdfast.free import Freed, free
from holdfast.live import Live, live
from holdfast.memory import MemoryUse, measure
from holdfast.run_entry import RunEntry
from holdfast.verdict import SCHEMA, Verdict

__all__ = [
    "Brink",
    "BrinkError",
    "Freed",
    "HoldfastError",
    "Live",
    "MemoryUse",
    "NoSuchRun",
    "RunEntry",
    "Status",
    "Verdict",
    "free",
    "live",
    "measure",
    "on_brink",
    "runs",
    "status",
    "step",
    "why",
]


def why(run: str | None = None) -> Verdict:
    """The verdict of a run, by its id; without one, of the last."""
    answer = ask("why", "--json", *([] if run is None else [run]))
    if answer["schema"] != SCHEMA:
        raise HoldfastError(
            f"the verdict has schema {answer['schema']}; this package reads {SCHEMA}"
        )
    return load(Verdict, answer)


def runs() -> list[RunEntry]:
    """The recorded runs, newest first."""
    return [load(RunEntry, entry) for entry in ask("runs", "--json")["runs"]]


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext holdfast``: the magics ``%holdfast`` and ``%%memory``."""
    from holdfast.jupyter.magics import HoldfastMagics

    shell.register_magics(HoldfastMagics)


def __getattr__(name: str) -> str:
    """``__version__``, looked up when asked for: reading package metadata is slow for an import."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("holdfast")
    except PackageNotFoundError:  # imported from a checkout, not installed
        return "unknown"
