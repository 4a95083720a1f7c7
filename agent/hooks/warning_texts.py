"""Warnings that may explain a death or a bad result, kept once each."""

import sys

from _holdfast_agent import note, seen
from hooks.numbers import NOTE_WARNING

_MOST = 5
_CATEGORIES = ("RuntimeWarning", "UserWarning", "ConvergenceWarning", "ResourceWarning")
_TELLING = (
    "overflow",
    "invalid value",
    "divide by zero",
    "nan",
    "inf ",
    "non-finite",
    "worker",
    "lr_scheduler",
    "converge",
    "out of memory",
    "memory",
    "semaphore",
    "fork",
    "shared memory",
    "cuda",
)
_kept = set()


def install(warnings):
    """Before the function that shows a warning, below warnings.showwarning."""
    show = getattr(warnings, "_showwarnmsg", None)
    if show is None:
        return
    warnings._showwarnmsg = stand_in = seen(show, _shown)
    # From 3.14 on it belongs to another module, by whose name it is pickled.
    inner = sys.modules.get("_py_warnings")
    if getattr(inner, "_showwarnmsg", None) is show:
        inner._showwarnmsg = stand_in


def _shown(message):
    if len(_kept) >= _MOST:
        return
    category = message.category.__name__
    if category not in _CATEGORIES:
        return
    text = str(message.message)[:400]
    lowered = text.lower()
    if text[:60] in _kept or not any(part in lowered for part in _TELLING):
        return
    _kept.add(text[:60])
    note(NOTE_WARNING, category + ": " + text)
