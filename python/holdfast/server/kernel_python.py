"""Which Python a kernel runs, and where: what ``holdfast check`` is to check for it."""

import re
import sys
from pathlib import Path
from typing import Any

PYTHON = re.compile(r"python([0-9.]*)")


def python_of(argv: list[str], metadata: dict[str, Any]) -> str:
    """The interpreter that a kernelspec starts; the server's own if it names none.

    ``metadata``: Holdfast's own part of it, which keeps the spec that was wrapped.
    """
    original = metadata.get("original")
    if isinstance(original, dict) and isinstance(original.get("argv"), list):
        argv = original["argv"]
    program = Path(str(argv[0]) if argv else "")
    # Jupyter itself puts the server's Python in the place of a bare "python3".
    if program.is_absolute() and PYTHON.fullmatch(program.name):
        return str(program)
    return sys.executable


def directory_of(pid: int | None) -> str | None:
    """The working directory of a kernel: files next to the notebook may hide modules."""
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink()) if pid is not None else None
    except OSError:
        return None
