"""What Holdfast itself prints on stderr at a bad end: removed before anything is compared."""

import re

_ESCAPE = re.compile(rb"\x1b\[[0-9;]*m")
# The panel: from its banner to the line that says how to see it again.
_PANEL = re.compile(
    rb"\r?\n?(?:==|\xe2\x94\x81\xe2\x94\x81) HOLDFAST .*?holdfast why \S+[^\n]*\n"
    rb"(?:[^\n]*holdfast explain[^\n]*\n)?",
    re.DOTALL,
)
_LINE = re.compile(
    rb"^holdfast: (?![^\n]*unobserved)[^\n]*\n|holdfast: [^\n]*; details: holdfast why[^\n]*\n",
    re.MULTILINE,
)


def without_verdict(text: bytes) -> bytes:
    """A warning that the command runs unobserved stays, because it deserves a look."""
    if b"HOLDFAST" not in text and b"holdfast" not in text:
        return text
    return _LINE.sub(b"", _PANEL.sub(b"", _ESCAPE.sub(b"", text)))
