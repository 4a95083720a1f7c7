"""Shows silent trouble (a leak, a hang) in the running cell: the supervisor finds it.

The main thread may be the one that is stuck, so ipykernel's own thread for outputs looks every
other second while a cell runs.
"""

from posix import stat

from _holdfast_agent import attempt, hook
from hooks.cells import take_text
from hooks.numbers import LEAK_TOLD, STALL_TOLD

_SECONDS = 2.0
_FILES = (STALL_TOLD, LEAK_TOLD)


class _State:
    kernel = None
    folder = None
    parent = None  # of the running cell; None: none runs
    looking = False
    told = {}  # noqa: RUF012  file -> when its text was written: a second stall has a new one


def listen(kernel, folder, parent):
    """A cell begins."""
    loop = getattr(getattr(kernel, "iopub_thread", None), "io_loop", None)
    if folder is None or loop is None:
        return
    _State.kernel, _State.folder, _State.parent = kernel, folder, parent
    if not _State.looking:
        _State.looking = True
        loop.add_callback(_later, loop)


def rest():
    """It has ended."""
    _State.parent = None


def _later(loop):
    loop.call_later(_SECONDS, _look, loop)


def _look(loop):
    parent = _State.parent
    if parent is None:
        _State.looking = False
        if _State.parent is None:
            return
        # A look has just begun and does our work.
        _State.looking, parent = True, _State.parent
    for file in _FILES:
        attempt(_tell, file, parent)
    _later(loop)


def _tell(file, parent):
    path = f"{_State.folder}/{file}"
    text = take_text(path)
    if text is None:
        return
    written = stat(path).st_mtime_ns
    if _State.told.get(file) == written:
        return
    _State.told[file] = written
    kernel = _State.kernel
    data = hook("hooks.memory_report").one_line(text.strip())
    content = {"data": data, "metadata": {}, "transient": {}}
    kernel.session.send(
        kernel.iopub_socket,
        "display_data",
        content,
        parent=parent,
        ident=kernel._topic("display_data"),
    )
