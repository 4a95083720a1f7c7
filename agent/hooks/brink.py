"""Between two steps: an error instead of the step that would not fit any more."""

from _holdfast_agent import crossing


class BrinkError(MemoryError):
    """Memory was about to run out. Raised between two steps, where nothing is half done."""

    __module__ = "holdfast"


def at_boundary():
    """Raises where the guard is on and the next step would cross the limit."""
    if crossing():
        raise BrinkError(
            "memory is nearly used up, and the last steps took more each than is left; "
            "save, free or stop (holdfast --guard)"
        )
