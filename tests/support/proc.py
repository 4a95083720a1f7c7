"""Looks at other processes through /proc."""

from pathlib import Path


def _fields(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat after the name: state, parent, group, session, ..."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def state(pid: int) -> str | None:
    fields = _fields(pid)
    return fields[0] if fields else None


def parent(pid: int) -> int | None:
    fields = _fields(pid)
    return int(fields[1]) if fields else None


def is_running(pid: int) -> bool:
    """Neither gone nor a zombie."""
    return state(pid) not in (None, "Z", "X")


def name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(folder.name))
        if fields and int(fields[1]) == parent:
            found.append(int(folder.name))
    return found


def zombies_of(parent: int) -> list[int]:
    return [pid for pid in children(parent) if state(pid) == "Z"]
