"""What went wrong in a capture, in one line: the error, the user's line, and what to do."""

import sysconfig
import traceback
from pathlib import Path

_LIBRARIES = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_OURS = str(Path(__file__).parent)


def is_users(file: str) -> bool:
    """Whether a file is the program's own: not a library's, not Python's, not ours."""
    return not (
        "site-packages" in file
        or "dist-packages" in file
        or file.startswith(("<frozen", _OURS, *_LIBRARIES))
    )


def users_line(error: BaseException) -> str:
    """` at train.py:12`: the innermost line of the program's own; empty if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if is_users(frame.filename):
            return f" at {Path(frame.filename).name}:{frame.lineno}"
    return ""


def in_one_line(error: BaseException) -> str:
    """The message, its line, and advice if there is any."""
    text = str(error).strip().splitlines()
    said = text[0] if text else "no message"
    if getattr(error, "told", False):  # it names line and advice itself
        return said
    return f"{type(error).__name__}{users_line(error)}: {said}{_advice(error)}"


def _advice(error: BaseException) -> str:
    if isinstance(error, (FileNotFoundError, ConnectionError)):
        return "; the program really runs until its second step, so it needs its data"
    return ""
