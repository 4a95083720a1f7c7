"""Finds the ``holdfast`` program and asks it something."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast._numbers import EXIT_NO_RUN


class HoldfastError(RuntimeError):
    """The ``holdfast`` program is missing, or could not answer."""


class NoSuchRun(HoldfastError, LookupError):
    """There is no recorded run of that name."""


def find() -> str:
    """The program: $HOLDFAST_BIN, else the package's own, else beside this Python, else on PATH."""
    named = os.environ.get("HOLDFAST_BIN")
    if named:
        return named
    for place in _installed():
        if os.access(place, os.X_OK):
            return str(place)
    on_path = shutil.which("holdfast")
    if on_path:
        return on_path
    # A program on a file system mounted noexec counts: the attempt to start it gives the reason.
    for place in _installed():
        if place.is_file():
            return str(place)
    raise HoldfastError("the holdfast program was not found; install it, or set HOLDFAST_BIN")


def _installed() -> Iterator[Path]:
    libraries = Path(__file__).parent.parent
    # `pip install --user` and `--target` put it where PATH need not lead. Not by sysconfig, because
    # an environment may have been moved since.
    if libraries.name in ("site-packages", "dist-packages"):
        yield libraries.parent.parent.parent / "bin" / "holdfast"
    yield libraries / "bin" / "holdfast"
    # Not resolved: a virtual environment's python is a link to one that has no holdfast beside it.
    if sys.executable:
        yield Path(sys.executable).with_name("holdfast")


def not_started(program: str, error: OSError) -> str:
    """One sentence that says why the kernel did not start the program."""
    if error.errno == errno.ENOEXEC:
        return (
            f"{program} is built for another kind of machine than this one ({os.uname().machine}); "
            "install Holdfast again here"
        )
    if error.errno == errno.EACCES and os.statvfs(program).f_flag & os.ST_NOEXEC:
        return f"{program} lies on a file system that is mounted noexec; install Holdfast elsewhere"
    return f"{program} could not be started: {error.strerror}"


def text_of(*arguments: str, allowed: tuple[int, ...] = (0,), cwd: str | None = None) -> str:
    """Runs the program and returns what it prints; ``allowed``: exit statuses that mean success."""
    program = find()
    try:
        answer = subprocess.run(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            cwd=cwd,
        )
    except OSError as error:
        raise HoldfastError(not_started(program, error)) from error
    if answer.returncode not in allowed:
        said = answer.stderr.decode(errors="replace").strip()
        kind = NoSuchRun if answer.returncode == EXIT_NO_RUN else HoldfastError
        raise kind(said or f"{program} ended with status {answer.returncode}")
    return answer.stdout.decode(errors="replace")


def ask(*arguments: str, allowed: tuple[int, ...] = (0,), cwd: str | None = None) -> Any:
    """Runs the program and returns the JSON it prints."""
    try:
        return json.loads(text_of(*arguments, allowed=allowed, cwd=cwd))
    except ValueError as error:
        raise HoldfastError(f"{find()} printed something that is not JSON: {error}") from error
