"""The other kernels that share this one's memory limit: their notebooks, bytes and idle times.

Read from /proc: the server puts the notebook's path into JPY_SESSION_NAME of its kernel, and every
kernel has its connection file on its command line. Idle times are known for watched kernels only.
"""

from posix import (
    O_CLOEXEC,
    O_NOFOLLOW,
    O_RDONLY,
    close,
    fstat,
    getpid,
    listdir,
    open,
    pread,
)
from time import time

from _holdfast_agent import run_directory
from hooks.numbers import CELL_RUNNING, CELL_SLOT_SIZE, CELL_SLOTS

_LEAST = 32 << 20  # bytes; a smaller one is not worth a word


def others():
    """[{"name", "pid", "bytes", "idle"}], the largest first; idle: seconds, None: not known."""
    here = getpid()
    group = _group(here)
    busy = _last_cells()
    found = {}
    for word in listdir("/proc"):
        if not word.isdigit() or int(word) == here:
            continue
        file = _connection_file(_read(f"/proc/{word}/cmdline", 4096).split(b"\0"))
        if not file or not _shares(group, _group(int(word))):
            continue
        size = _resident(word)
        if size >= max(_LEAST, found.get(file, {"bytes": 0})["bytes"]):
            name = _notebook(word) or file
            found[file] = {"name": name, "pid": int(word), "bytes": size, "idle": busy.get(word)}
    return sorted(found.values(), key=lambda one: one["bytes"], reverse=True)


def _connection_file(words):
    """A kernel's connection file; none for its supervisor, which names the same file."""
    if b"--kernel" in words:
        return ""
    for word in words:
        name = word.rpartition(b"/")[2]
        if name.endswith(b".json") and (name.startswith(b"kernel-") or b"ipykernel" in words[2:3]):
            return name.decode("utf-8", "replace")
    return ""


def _notebook(pid):
    for entry in _read(f"/proc/{pid}/environ", 1 << 18).split(b"\0"):
        if entry.startswith(b"JPY_SESSION_NAME="):
            path = entry.partition(b"=")[2]
            return path.rpartition(b"/")[2].decode("utf-8", "replace")
    return ""


def _resident(pid):
    """Without pages of files, which can be dropped."""
    total = 0
    for line in _read(f"/proc/{pid}/status", 8192).splitlines():
        if line.startswith((b"RssAnon:", b"RssShmem:")):
            total += int(line.split()[1]) << 10
    return total


def _group(pid):
    """The cgroup that counts its memory."""
    unified = b"/"
    for line in _read(f"/proc/{pid}/cgroup", 8192).splitlines():
        number, _, rest = line.partition(b":")
        controllers, _, path = rest.partition(b":")
        if b"memory" in controllers.split(b","):
            return path
        if number == b"0":
            unified = path
    return unified


def _shares(ours, theirs):
    """In the same group, or one below the other: then some limit above is common."""
    ours, theirs = ours.rstrip(b"/") + b"/", theirs.rstrip(b"/") + b"/"
    return theirs.startswith(ours) or ours.startswith(theirs)


def _last_cells():
    """pid -> seconds since its last cell ended, 0 while one runs; for watched kernels."""
    runs = (run_directory() or "").rpartition("/")[0]
    found = {}
    for run in listdir(runs) if runs else ():
        try:
            fd = open(f"{runs}/{run}/cells.box", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        except OSError:
            continue
        try:
            pid = pread(fd, 256, 0).partition(b'"pid": ')[2].partition(b",")[0].decode()
            letters = (pread(fd, 1, slot * CELL_SLOT_SIZE) for slot in range(1, CELL_SLOTS))
            running = CELL_RUNNING in letters
            found[pid] = 0 if running else max(0, int(time() - fstat(fd).st_mtime))
        finally:
            close(fd)
    return found


def _read(path, most):
    try:
        fd = open(path, O_RDONLY | O_CLOEXEC)
    except OSError:  # the process has ended, or is another user's
        return b""
    try:
        return pread(fd, most, 0)
    except OSError:
        return b""
    finally:
        close(fd)
