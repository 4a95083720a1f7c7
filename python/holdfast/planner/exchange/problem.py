"""What went wrong in a capture, in one line: the error, the user's line, and what to do."""

import sysconfig
import traceback
from pathlib import Path

from holdfast.planner.exchange.numbers import OWN_CODE

_FOLDERS = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
_ELSEWHERE = tuple(f"{folder}/" for folder in (*_FOLDERS, Path(__file__).parents[2]))


def is_users(file: str) -> bool:
    """As knowledge/own_code.cc decides; this Python also knows where its and our libraries lie."""
    for how, text, own in OWN_CODE:
        if how == "holds":
            fits = text in file
        elif how == "begins":
            fits = file.startswith(text)
        elif how == "relative":
            fits = file.endswith(text) and not file.startswith("/")
        else:
            fits = file == text
        if fits:
            return own
    return file != "" and not file.startswith(_ELSEWHERE)


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
