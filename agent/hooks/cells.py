"""cells.box: the last cells of a kernel and the requests they answer, see docs/black-box.md.

A plain file, written with one call per cell. It is opened for each call: the program could close a
descriptor that is kept open, or hand it on.
"""

import sys
from posix import (
    F_OK,
    O_CLOEXEC,
    O_CREAT,
    O_NOFOLLOW,
    O_RDONLY,
    O_RDWR,
    access,
    close,
    ftruncate,
    getpid,
    open,
    pread,
    pwrite,
    unlink,
)

from hooks.numbers import CELL_ENDED, CELL_RUNNING, CELL_SLOT_SIZE, CELL_SLOTS


class _State:
    path = None
    pid = 0
    next = 0
    running = {}  # noqa: RUF012  id of the message -> slot


def open_box(directory, python, kernel_info):
    """Slot 0 is the kernel's. If a run has several kernels, the first one that lives writes."""
    if directory is None:
        return
    path = directory + "/cells.box"
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    try:
        if _is_held(pread(fd, CELL_SLOT_SIZE, 0)):
            return
        ftruncate(fd, 0)
        facts = {"pid": getpid(), "python": python, "info": kernel_info}
        pwrite(fd, _record(CELL_RUNNING, facts, b""), 0)
    finally:
        close(fd)
    _State.path = path
    _State.pid = getpid()


def _is_held(first):
    if first[:1] != CELL_RUNNING:
        return False
    holder = sys.modules["json"].loads(first[2:].partition(b"\n")[0].decode())["pid"]
    return holder != getpid() and access(f"/proc/{holder}", F_OK)


def begin(name, code, count, header, ident):
    """A cell begins to run; `name` is the file name that its code objects carry."""
    if _State.path is None or _State.pid != getpid():
        return
    taken = set(_State.running.values())
    slot = _State.next + 1
    for _ in range(CELL_SLOTS):
        slot = _State.next % (CELL_SLOTS - 1) + 1
        _State.next += 1
        if slot not in taken:
            break
    request = {key: _plain(value) for key, value in header.items()}
    frames = [ident] if isinstance(ident, bytes) else list(ident or ())
    facts = {
        "count": count,
        "file": name,
        "request": request,
        "ident": [bytes(frame).hex() for frame in frames],
    }
    _State.running[request.get("msg_id")] = slot
    _write(_record(CELL_RUNNING, facts, code.encode("utf-8", "replace")), slot)


def end(message):
    """The cell that answers this message has ended."""
    slot = _State.running.pop(message, None)
    if slot is not None and _State.pid == getpid():
        _write(CELL_ENDED, slot)


def _plain(value):
    return value if isinstance(value, (str, int, float, type(None))) else _text(value)


def _text(value):
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _record(state, facts, source):
    json = sys.modules["json"]
    size = len(source)
    for _ in range(2):
        head = json.dumps(dict(facts, size=size)).encode()
        room = CELL_SLOT_SIZE - len(head) - 3
        if size <= room:
            break
        size = max(room, 0)
    return (state + b" " + head + b"\n" + source[:size])[:CELL_SLOT_SIZE]


def _write(data, slot):
    fd = open(_State.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    try:
        pwrite(fd, data, slot * CELL_SLOT_SIZE)
    finally:
        close(fd)


def take_file(path):
    """The JSON in a file, which is then removed; None if there is no file."""
    text = take_text(path)
    if text is None:
        return None
    unlink(path)
    return sys.modules["json"].loads(text)


def take_text(path):
    """The text in a file; None if there is no file."""
    if not access(path, F_OK):
        return None
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    try:
        return pread(fd, 1 << 20, 0).decode("utf-8", "replace")
    finally:
        close(fd)
