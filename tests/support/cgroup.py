"""Real control groups with limits, on cgroup v1 and v2. Needs root; says why if it cannot."""

import contextlib
import os
import secrets
import signal
from pathlib import Path

import pytest

from support.run import eventually

_MOUNTS = Path("/proc/self/mountinfo")
_OWN = Path("/proc/self/cgroup")


class ControlGroup:
    """One group per controller (v1 keeps them in separate trees)."""

    def __init__(self, memory: int | None = None, pids: int | None = None):
        if os.geteuid() != 0:
            pytest.skip("making a control group needs root")
        self._folders: dict[str, Path] = {}
        self._version: dict[str, int] = {}
        name = f"holdfast-test-{secrets.token_hex(4)}"
        for controller, limit in (("memory", memory), ("pids", pids)):
            if limit is not None:
                self._make(controller, name)
        if memory is not None:
            self._limit_memory(memory)
        if pids is not None:
            self._write("pids", "pids.max", pids)

    def inside(self, *command: str) -> list[str]:
        """A command line that enters the group and becomes `command`."""
        enter = "".join(f"echo $$ >'{folder}/cgroup.procs' && " for folder in self._distinct())
        return ["/bin/sh", "-c", f'{enter}exec "$@"', "sh", *command]

    @property
    def memory_limit(self) -> int:
        return self._number("memory", "memory.limit_in_bytes", "memory.max")

    @property
    def memory_folder(self) -> Path:
        return self._folders["memory"]

    def set_memory_limit(self, limit: int) -> None:
        name = "memory.max" if self._version["memory"] == 2 else "memory.limit_in_bytes"
        self._write("memory", name, limit)

    @property
    def memory_peak(self) -> int:
        return self._number("memory", "memory.max_usage_in_bytes", "memory.peak")

    @property
    def oom_kills(self) -> int:
        name = "memory.oom_control" if self._version["memory"] == 1 else "memory.events"
        for line in (self._folders["memory"] / name).read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
        pytest.skip("this kernel does not count OOM kills per group")

    @property
    def limit_hits(self) -> int:
        """How often memory had to be reclaimed because the limit was reached."""
        if self._version["memory"] == 1:
            return int((self._folders["memory"] / "memory.failcnt").read_text())
        events = (self._folders["memory"] / "memory.events").read_text().split()
        return int(events[events.index("max") + 1])

    def remove(self) -> None:
        for folder in self._distinct():
            eventually(f"{folder} is empty", lambda folder=folder: _emptied(folder))
            eventually(f"{folder} is removed", lambda folder=folder: _removed(folder))

    def _distinct(self) -> list[Path]:
        return sorted(set(self._folders.values()))

    def _make(self, controller: str, name: str) -> None:
        parent, version = _parent_for(controller)
        folder = parent / name
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            pytest.skip(f"no control group can be made in {parent}: {error.strerror}")
        self._folders[controller] = folder
        self._version[controller] = version

    def _limit_memory(self, limit: int) -> None:
        # Forbids swap, too, if it is counted: with swap a leak would only slow down.
        if self._version["memory"] == 2:
            self._write("memory", "memory.max", limit)
            self._write_if_there("memory.swap.max", 0)
        else:
            self._write("memory", "memory.limit_in_bytes", limit)
            self._write_if_there("memory.swappiness", 0)
        assert self.memory_limit == limit

    def _write(self, controller: str, name: str, value: int) -> None:
        (self._folders[controller] / name).write_text(f"{value}\n")

    def _write_if_there(self, name: str, value: int) -> None:
        if (self._folders["memory"] / name).exists():
            self._write("memory", name, value)

    def _number(self, controller: str, name_v1: str, name_v2: str) -> int:
        name = name_v1 if self._version[controller] == 1 else name_v2
        return int((self._folders[controller] / name).read_text())


def _emptied(folder: Path) -> bool:
    """Kills processes that a failed test left in its group."""
    left = [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return not left


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def _parent_for(controller: str) -> tuple[Path, int]:
    """The folder below which a group with this controller can be made, and the version."""
    own = {}  # controller (or "" for v2) -> path within its tree
    for line in _OWN.read_text().splitlines():
        _, names, path = line.split(":", 2)
        own.update(dict.fromkeys(names.split(","), path))
    for mount, root, kind, options in _cgroup_mounts():
        if kind == "cgroup" and controller in options and controller in own:
            return _below(mount, root, own[controller]), 1
    for mount, root, kind, _ in _cgroup_mounts():
        if kind == "cgroup2":
            folder = _with_controller(mount, _below(mount, root, own.get("", "/")), controller)
            if folder:
                return folder, 2
    pytest.skip(f"no cgroup hierarchy here has the {controller} controller to give")


def _cgroup_mounts():
    for line in _MOUNTS.read_text().splitlines():
        before, after = line.split(" - ", 1)
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            fields = before.split()
            yield Path(fields[4]), fields[3], kind, options.split(",")


def _below(mount: Path, root: str, own: str) -> Path:
    """Where the path from /proc/self/cgroup is on this mount, which may show only a part."""
    inside = own[len(root) :] if root != "/" and own.startswith(root) else own
    folder = mount / inside.lstrip("/")
    return folder if folder.is_dir() else mount


def _with_controller(mount: Path, folder: Path, controller: str) -> Path | None:
    """This v2 group or the nearest ancestor that can hand the controller on to a new child."""
    while True:
        # A group that contains processes may hand on `pids`, but its children then take none.
        if folder == mount or not (folder / "cgroup.procs").read_text():
            with contextlib.suppress(OSError):  # it lacks the controller
                (folder / "cgroup.subtree_control").write_text(f"+{controller}")
                return folder
        if folder == mount:
            return None
        folder = folder.parent
