"""Raises an error between two steps if the next step would not fit any more."""

import sys

from _holdfast_agent import brink_called, crossing, hook, listen
from hooks.numbers import BRINK_SIGNAL


class BrinkError(MemoryError):
    """Memory was about to run out. Raised between two steps, or at a line of the main thread."""

    __module__ = "holdfast"


def arm():
    """Lets the agent be called at the brink, unless the program uses that signal itself."""
    signal = sys.modules.get("_signal")
    if signal is None:
        return
    handler = signal.getsignal(BRINK_SIGNAL)
    if handler == signal.SIG_DFL:
        signal.signal(BRINK_SIGNAL, brink_called)
    elif handler is not brink_called:
        return
    # The code that reports an error is prepared now, because it is needed when no memory is left.
    hook("hooks.failures")
    hook("hooks.exceptions")
    listen(BrinkError)


def at_boundary():
    """Raises if the guard is on and the next step would cross the limit."""
    if crossing():
        raise error_about("steps")


def after_cell(shell, result):
    """The same for a cell that has ended well: it then fails, with all its variables in place."""
    if not result.success or not crossing():
        return
    error = error_about("cells")
    result.error_in_exec = error
    shell._showtraceback(BrinkError, error, ["BrinkError: " + str(error)])


def error_about(what):
    return BrinkError(
        f"memory is nearly used up, and the last {what} took more each than is left; "
        "save, free or stop (holdfast --guard)"
    )
