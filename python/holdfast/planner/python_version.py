"""Which Pythons can plan. Read by those that cannot, so this file is Python 3.8."""

from __future__ import annotations

import sys


def too_old() -> str | None:
    """One sentence where this Python cannot; None where it can."""
    if sys.version_info >= (3, 10):  # noqa: UP036
        return None
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"holdfast fit needs Python 3.10 or newer; {sys.executable} is {version}"
