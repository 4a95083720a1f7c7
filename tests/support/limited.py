"""A control group with a small memory limit, for tools that are not tests."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cgroup import ControlGroup


@contextlib.contextmanager
def limited_group(tool: str, limit: int = 256 << 20) -> Iterator[Path | None]:
    """The folder of a group in which a program that keeps asking for memory is killed. If no group
    can be made: None, and a line that says why."""
    try:
        group = ControlGroup(memory=limit)
    except pytest.skip.Exception as why:
        print(f"{tool}: left out: the OOM kill ({why})")
        yield None
        return
    try:
        yield group.memory_folder
    finally:
        group.remove()
