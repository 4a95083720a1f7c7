"""The function that FILE.py:NAME names. Python 3.8 must be able to read this file."""

import runpy
import sys
from pathlib import Path
from typing import Any


def load_target(target: str) -> Any:
    """The function named by FILE.py:NAME, as `python FILE.py` would see its imports."""
    file, _, name = target.rpartition(":")
    path = Path(file)
    if not path.is_file():
        sys.exit(f"holdfast: {file}: no such file")
    sys.path.insert(0, str(path.resolve().parent))
    found = runpy.run_path(str(path), run_name="holdfast_fit_target")
    if name not in found:
        sys.exit(f"holdfast: {file} has no function {name!r}")
    return found[name]
