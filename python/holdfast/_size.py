"""Amounts of memory as people write them."""

from __future__ import annotations

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def human(amount: float) -> str:
    """``1.5 GiB``: at most three significant digits."""
    sign, size = ("-", -amount) if amount < 0 else ("", amount)
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size /= 1024
        unit += 1
    digits = 0 if unit == 0 or size >= 100 else 1 if size >= 10 else 2
    text = f"{size:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{sign}{text} {_UNITS[unit]}"
