"""What Holdfast itself said on stderr while a program ran, told apart from the program's words."""

import re
from dataclasses import dataclass

_SAYS = "holdfast: "
_CAUSES = re.compile(r"\(holdfast explain ([a-z-]+)\)|\(HF\d+ ([a-z-]+)\)")


@dataclass(frozen=True)
class Notice:
    kind: str  # the slug of its cause, "guard" for a request that does not fit, else "other"
    text: str


def kind_of(line: str) -> str:
    if line.startswith(_SAYS + "guard: ") and " are left" in line:
        return "guard"
    found = _CAUSES.search(line)
    return (found[1] or found[2]) if found else "other"


def notices_in(stderr: str) -> list[Notice]:
    """The lines that Holdfast began. A verdict's panel counts as one, because a program that ends
    well gets none."""
    seen = []
    for line in stderr.splitlines():
        if line.startswith(_SAYS):
            seen.append(Notice(kind_of(line), line))
        elif line.startswith(("━━ HOLDFAST ", "== HOLDFAST ")):
            seen.append(Notice("verdict", line.strip("━= ")))
    return seen
