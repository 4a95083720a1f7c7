"""docs/harm.md names the case behind each sentence: those names must be cases."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from transparency.case import Case


def unknown_names(page: Path, cases: Iterable[Case]) -> list[str]:
    """Names in brackets on the page that are not cases."""
    known = {case.name for case in cases}
    groups = {name.split(".")[0] for name in known}
    named = set()
    for bracket in re.findall(r"\[([^\]]+)\]", page.read_text()):
        named |= {word for word in re.split(r"[,\s]+", bracket) if word.split(".")[0] in groups}
    return sorted(named - known)
