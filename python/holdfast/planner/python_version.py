"""Which Pythons can plan. Python 3.8 must be able to read this file."""

from __future__ import annotations

import sys


def too_old() -> str | None:
    """One sentence if this Python is too old; None if it can plan."""
    if sys.version_info >= (3, 10):  # noqa: UP036
        return None
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"holdfast fit needs Python 3.10 or newer; {sys.executable} is {version}"
