"""Which Python a kernel runs, and where, so that ``holdfast check`` can check it."""

import re
import sys
from pathlib import Path
from typing import Any

PYTHON = re.compile(r"python([0-9.]*)")


def python_of(argv: list[str], metadata: dict[str, Any]) -> str:
    """The interpreter that a kernelspec starts; the server's own if it names none.

    ``metadata``: Holdfast's own part of it, which keeps the original kernelspec.
    """
    original = metadata.get("original")
    if isinstance(original, dict) and isinstance(original.get("argv"), list):
        argv = original["argv"]
    program = Path(str(argv[0]) if argv else "")
    # Jupyter itself replaces a bare "python3" by the server's Python.
    if program.is_absolute() and PYTHON.fullmatch(program.name):
        return str(program)
    return sys.executable


def directory_of(pid: int | None) -> str | None:
    """The working directory of a kernel: files beside the notebook may hide modules."""
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink()) if pid is not None else None
    except OSError:
        return None
