"""Runs a script as `python words...` would, in this process. Needs no torch."""

import runpy
import sys
from pathlib import Path

# Options of the interpreter that take a value.
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")


class CannotPlan(RuntimeError):
    """The script as it is cannot be planned; the message says what to do."""

    told = True


def words_of_script(words: list[str]) -> list[str]:
    """`-u train.py --epochs 1` without the interpreter's own options."""
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c"):
        del rest[: 2 if rest[0] in _WITH_VALUE else 1]
    if not rest or rest[0] == "-c":
        raise CannotPlan("no script to plan: say holdfast fit train.py --gpu 24GiB")
    return rest


def run_script(words: list[str]) -> None:
    """As `python words...` would."""
    before = sys.argv, sys.path[:]
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(words)
            sys.path.insert(0, str(Path(words[0]).resolve().parent))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise CannotPlan(
                f"{words[0]} ended by itself before it trained ({end.code}); if it needs options: "
                f"holdfast fit {words[0]} --gpu 24GiB -- --its-option"
            ) from None
    finally:
        sys.argv, sys.path[:] = before
