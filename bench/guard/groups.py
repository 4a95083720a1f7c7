"""Where the programs run: memory cgroups below our own, or the whole machine."""

from __future__ import annotations

import atexit
import os
import secrets
import signal
import time
from pathlib import Path

MIB = 1 << 20
HUGE_PAGES = Path("/proc/sys/vm/nr_hugepages")


def _mounts() -> list[tuple[Path, str, list[str]]]:
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ", 1)
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            found.append((Path(before.split()[4]), kind, options.split(",")))
    return found


def find_parent() -> tuple[Path, int]:
    """Where a group can be made, and the version of cgroups there."""
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        own.update(dict.fromkeys(names.split(","), path.lstrip("/")))
    for mount, kind, options in _mounts():
        if kind == "cgroup" and "memory" in options:
            folder = mount / own.get("memory", "")
            return (folder if folder.is_dir() else mount), 1
    for mount, kind, _ in _mounts():
        if kind != "cgroup2":
            continue
        folder = mount / own.get("", "")
        folder = folder if folder.is_dir() else mount
        while True:
            try:
                (folder / "cgroup.subtree_control").write_text("+memory")
                return folder, 2
            except OSError:  # it holds processes itself, or does not have the controller
                if folder == mount:
                    break
                folder = folder.parent
    raise SystemExit("bench/guard: no memory cgroup can be made here; it needs root")


class Group:
    """A group with a limit, removed at the end with whatever is left in it."""

    def __init__(self, megabytes: int, swap: int = 0) -> None:
        parent, self.version = find_parent()
        self.folder = parent / f"holdfast-guard-{secrets.token_hex(4)}"
        self.folder.mkdir()
        self.set_limit(megabytes * MIB)
        for name, value in (
            ("memory.swappiness", 60 if swap else 0),
            ("memory.swap.max", swap * MIB),
            ("memory.memsw.limit_in_bytes", (megabytes + swap) * MIB),
        ):
            if (self.folder / name).exists():
                (self.folder / name).write_text(str(value))

    def set_limit(self, size: int) -> None:
        name = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        (self.folder / name).write_text(str(size))

    def inside(self, *command: str) -> list[str]:
        enter = f"echo $$ >'{self.folder}/cgroup.procs' && exec \"$@\""
        return ["/bin/sh", "-c", enter, "sh", *command]

    def peak(self) -> int | None:
        for name in ("memory.max_usage_in_bytes", "memory.peak"):
            if (self.folder / name).exists():
                return int((self.folder / name).read_text())
        return None

    def kills(self) -> int:
        name = "memory.oom_control" if self.version == 1 else "memory.events"
        for line in (self.folder / name).read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
        return 0

    @property
    def environment(self) -> dict[str, str]:
        return {"HF_GROUP": str(self.folder)}

    def __enter__(self) -> Group:
        return self

    def __exit__(self, *_: object) -> None:
        for _ in range(200):
            for pid in (self.folder / "cgroup.procs").read_text().split():
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    continue
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.02)


class Machine:
    """The machine itself, with almost all of its memory taken away as unused huge pages.

    They are given back only at the end of the table: to take a hundred gigabytes takes time.
    """

    _before: str | None = None

    def __init__(self, megabytes: int) -> None:
        before = HUGE_PAGES.read_text()
        if Machine._before is None:
            Machine._before = before
            atexit.register(HUGE_PAGES.write_text, before)
        surplus = memory_in("/proc/meminfo", "MemAvailable:") - megabytes * 1024
        HUGE_PAGES.write_text(str(max(int(before) + surplus // 2048, 0)))
        self._kills = memory_in("/proc/vmstat", "oom_kill")

    def inside(self, *command: str) -> list[str]:
        """The kernel kills it first, and all of it: shells and terminals stay."""
        return ["/bin/sh", "-c", 'echo 900 >/proc/self/oom_score_adj && exec "$@"', "sh", *command]

    def peak(self) -> int | None:
        return None

    def kills(self) -> int:
        return memory_in("/proc/vmstat", "oom_kill") - self._kills

    @property
    def environment(self) -> dict[str, str]:
        return {"HF_GROUP": "machine"}

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def memory_in(file: str, name: str) -> int:
    for line in Path(file).read_text().splitlines():
        if line.split()[0] == name:
            return int(line.split()[1])
    return 0
