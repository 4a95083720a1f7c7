"""The largest variables of a notebook by bytes, and what shares its memory limit."""

from __future__ import annotations

import sys
from typing import Any

from holdfast._agent import agent
from holdfast._command import HoldfastError

_MIME = "application/vnd.holdfast.memory+json"


class Variables:
    """What was seen at one moment, as plain values: it keeps no variable alive."""

    def __init__(self, facts: dict[str, Any], words: Any) -> None:
        self.facts = facts
        self._words = words

    def __str__(self) -> str:
        return str(self._words.plain(self.facts))

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        html = self._words.html(self.facts)
        return {"text/plain": str(self), "text/html": html, _MIME: self.facts}


def variables(figures: str = "") -> Variables:
    """Lists the notebook's variables without running any of its code.

    Arrays, tensors, frames, and what containers and instances hold of them. A name is shown with
    the part of it that holds most; `figures` is a line to show above them. Raises HoldfastError
    outside a watched kernel.
    """
    inside = agent()
    module = sys.modules.get("IPython.core.interactiveshell")
    shell = None if module is None else getattr(module.InteractiveShell, "_instance", None)
    if inside is None or shell is None:
        raise HoldfastError(
            "variables are only seen in a watched kernel; `holdfast kernel install` makes one"
        )
    facts = {**inside.hook("hooks.cell_memory").gather(shell), "figures": figures}
    return Variables(facts, inside.hook("hooks.memory_report"))
