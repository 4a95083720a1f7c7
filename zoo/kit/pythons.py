"""Which interpreter has the packages that a program of the zoo needs."""

import functools
import os
import subprocess
import sys
from pathlib import Path


def candidates(named: list[str]) -> list[str]:
    listed = os.environ.get("HOLDFAST_ZOO_PYTHON", "").split(os.pathsep)
    everywhere = [*named, *listed, sys.executable, "/usr/bin/python3"]
    return [p for p in everywhere if p and Path(p).exists()]


@functools.cache
def has(python: str, package: str) -> bool:
    name, _, version = package.partition("==")
    # Looked up, not imported: importing a framework takes seconds.
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is None)"
    if version:  # the distribution, because not every module has its name
        code = f"import importlib.metadata as m; assert m.version({name!r}) == {version!r}"
    return subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def anybodys(python: str) -> bool:
    """Whether another user may run it: other users cannot reach root's own interpreter."""
    path = Path(python).resolve()
    return all(part.stat().st_mode & 0o001 for part in [path, *path.parents])


def python_for(needs: tuple[str, ...], named: list[str], other_user: bool = False) -> str | None:
    """The first that has them all."""
    for python in candidates(named):
        if other_user and not anybodys(python):
            continue
        if all(has(python, package) for package in needs):
            return python
    return None


@functools.cache
def prefixes(python: str) -> tuple[str, ...]:
    """The folders that hold the interpreter and its packages, the longest first."""
    code = (
        "import sys, site; print(sys.prefix); print(sys.base_prefix); "
        "print(*[p for p in sys.path if p.endswith('site-packages')], sep='\\n')"
    )
    told = subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.split("\n")
    folders = {p.split("/lib/python")[0] for p in told if len(p) > 4}
    return tuple(sorted(folders - {"/usr"}, key=len, reverse=True))
