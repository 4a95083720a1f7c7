"""The surroundings of a program: control groups, limits, small filesystems, other users."""

import contextlib
import ctypes
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from kit.scenario import ZOO, Scenario

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import pytest

from support import kernel_log
from support.cgroup import ControlGroup


class Unable(Exception):
    """This machine cannot give the program what it needs; the text says what."""


def size(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([KMG]?)", text).groups()
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit]


def _mounts(scenario: Scenario, scratch: Path) -> list[str]:
    """The beginning of a command line that mounts what is asked for, only for the program."""
    header = scenario.header
    lines = []
    if "shm" in header:
        lines.append(f"mount -t tmpfs -o size={size(header['shm'])} none /dev/shm")
    if "disk" in header:
        capacity, _, kind = header["disk"].partition(" ")
        if kind:  # a real filesystem
            image = f"{scratch}/disk.img"
            lines.append(f"truncate -s {size(capacity)} {image}; mkfs.{kind} -q {image}")
            lines.append(f"mount -o loop {image} {scratch}/disk; chmod 777 {scratch}/disk")
        else:
            lines.append(f"mount -t tmpfs -o size={size(capacity)},mode=777 none {scratch}/disk")
    if not lines:
        return []
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Unable("mounting a filesystem needs root and unshare(1)")
    script = "; ".join(["set -e", *lines, 'exec "$@"'])
    return ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh"]


def _company(scenario: Scenario, python: str) -> list[str]:
    """A pid namespace in which `beside` of the header runs, too. So it can kill only processes of
    the zoo, and it ends with the namespace."""
    if "beside" not in scenario.header:
        return []
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Unable("a pid namespace needs root and unshare(1)")
    other = scenario.header["beside"].format(zoo=ZOO, python=python)
    outside = Path("/proc/self/ns/pid").readlink()
    script = f'export ZOO_PIDS_OUTSIDE="{outside}"; ({other}) & "$@"; exit $?'
    unshared = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    return [*unshared, "/bin/sh", "-c", script, "sh"]


def _limits(scenario: Scenario) -> list[str]:
    if "limits" not in scenario.header:
        return []
    script = f'ulimit {scenario.header["limits"]} && exec "$@"'
    return ["/bin/bash", "-c", script, "bash"]


def _user(scenario: Scenario) -> list[str]:
    if "user" not in scenario.header:
        return []
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise Unable("running as another user needs root and setpriv(1)")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@contextlib.contextmanager
def around(scenario: Scenario, scratch: Path, python: str) -> Iterator[tuple[list[str], list[str]]]:
    """The beginnings of two command lines: for the watched program, and for a process that only
    shares its control group."""
    header = scenario.header
    group = None
    (scratch / "disk").mkdir()
    try:
        prefix = [
            *_mounts(scenario, scratch),
            *_company(scenario, python),
            *_user(scenario),
            *_limits(scenario),
        ]
        if header.get("kernel-log") == "hidden":
            prefix = kernel_log.hidden_from(*prefix)
        limits = {
            "memory": size(header["memory"]) if "memory" in header else None,
            "pids": int(header["pids"]) if "pids" in header else None,
        }
        if any(limits.values()):
            group = ControlGroup(**limits)
    except pytest.skip.Exception as reason:
        raise Unable(str(reason)) from None
    try:
        if group is None:
            yield prefix, []
        else:
            yield group.inside(*prefix), group.inside()
    finally:
        if group is not None:
            group.remove()


def find_tools(scenario: Scenario) -> None:
    """Finds commands, and shared libraries that the loader finds by name."""
    for tool in scenario.header.get("tools", "").split():
        if ".so" in tool:
            with contextlib.suppress(OSError):
                ctypes.CDLL(tool)
                continue
        elif shutil.which(tool):
            continue
        raise Unable(f"no {tool} on this machine")


def build_native(scenario: Scenario, scratch: Path) -> None:
    """Compiles the extensions that the header names into the scratch folder."""
    for source in scenario.header.get("native", "").split():
        compiler = shutil.which("c++" if source.endswith(".cc") else "cc")
        if not compiler:
            raise Unable("no C compiler on this machine")
        made = scratch / Path(source).with_suffix(".so").name
        path = ZOO / "native" / source
        flags = shlex.split("-shared -fPIC -g -O0 -pthread -w -D_FORTIFY_SOURCE=0")
        subprocess.run([compiler, *flags, str(path), "-o", str(made)], check=True)
