"""Holdfast from Python: the verdicts of runs as typed values, and the steps of the current run.

The package holds no logic of its own; it asks the ``holdfast`` program, or the agent.
"""

import sys

# First of all, and Python 3.6 must be able to parse this file: else users get a SyntaxError.
if sys.version_info < (3, 8):  # noqa: UP036
    major, minor = sys.version_info[:2]
    raise ImportError(f"holdfast needs Python 3.8 or newer; this is {major}.{minor}")

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast._agent import Status, status, step
from holdfast._command import HoldfastError, NoSuchRun, ask
from holdfast._load import load
from holdfast.brink import Brink, BrinkError, on_brink
from holdfast.check import Check
from holdfast.free import Freed, free
from holdfast.live import Live, live
from holdfast.memory import MemoryUse, measure
from holdfast.run_entry import RunEntry
from holdfast.variables import Variables, variables
from holdfast.verdict import SCHEMA, Verdict

if TYPE_CHECKING:
    from holdfast.loader import BudgetHeld as BudgetHeld
    from holdfast.loader import Loader as Loader
    from holdfast.planner.plan import Plan

__all__ = [
    "Brink",
    "BrinkError",
    "BudgetHeld",
    "Check",
    "Freed",
    "HoldfastError",
    "Live",
    "Loader",
    "MemoryUse",
    "NoSuchRun",
    "RunEntry",
    "Status",
    "Variables",
    "Verdict",
    "check",
    "fit",
    "free",
    "live",
    "measure",
    "on_brink",
    "runs",
    "status",
    "step",
    "variables",
    "why",
]


def why(run: "str | None" = None) -> Verdict:
    """The verdict of the run with this id, or of the last run."""
    answer = ask("why", "--json", *([] if run is None else [run]))
    if answer["schema"] != SCHEMA:
        raise HoldfastError(
            f"the verdict has schema {answer['schema']}; this package reads {SCHEMA}"
        )
    return load(Verdict, answer)


def check(python: "str | None" = None, framework: "str | None" = None) -> Check:
    """What on this machine or in its environment will hurt a training; does not import a framework.

    ``python``: the Python to check, by default this one; ``framework``: "torch", "tensorflow"
    or "jax".
    """
    arguments = ["--python", python or sys.executable]
    if framework is not None:
        arguments += ["--for", framework]
    answer = ask("check", "--json", *arguments, allowed=(0, 1))
    return replace(load(Check, answer), _arguments=tuple(arguments))


def runs() -> "list[RunEntry]":
    """The recorded runs, newest first."""
    return [load(RunEntry, entry) for entry in ask("runs", "--json")["runs"]]


def fit(make: "Callable[[int], Callable[[], Any]]", batch: int, gpu: str, **options: Any) -> "Plan":
    """Whether ``make(batch)``'s training step fits a GPU, and the largest batch; needs no GPU.

    ``make`` is ordinary code for device "cuda" that returns a function doing one whole step.
    Options: device_profile, alloc_conf, context, ways, largest.
    """
    from holdfast.planner.python_version import too_old

    problem = too_old()
    if problem:
        raise HoldfastError(problem)
    from holdfast.planner.plan import fit as plan  # imports torch when it runs, not before

    return plan(make, batch, gpu, **options)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext holdfast``: the magics ``%holdfast`` and ``%%memory``."""
    from holdfast.jupyter.magics import HoldfastMagics

    shell.register_magics(HoldfastMagics)


def __getattr__(name: str) -> Any:
    """Imports slow modules only when they are used: the Loader (NumPy), the version."""
    if name in ("BudgetHeld", "Loader"):
        from holdfast import loader

        return getattr(loader, name)
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("holdfast")
    except PackageNotFoundError:  # imported from a checkout, not installed
        return "unknown"
