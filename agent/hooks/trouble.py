"""What goes wrong in silence is told in the running cell: the supervisor finds it, we hand it on.

The main thread may be the one that is stuck, so ipykernel's own thread for outputs looks, every
other second while a cell runs.
"""

from _holdfast_agent import attempt
from hooks.cells import take_text

_SECONDS = 2.0
_KINDS = ("stall", "leak")


class _State:
    kernel = None
    folder = None
    parent = None  # of the running cell; None: none runs
    looking = False
    untold = set(_KINDS)  # noqa: RUF012


def listen(kernel, folder, parent):
    """A cell begins."""
    loop = getattr(getattr(kernel, "iopub_thread", None), "io_loop", None)
    if folder is None or loop is None or not _State.untold:
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
    if parent is None or not _State.untold:
        _State.looking = False
        return
    for kind in _KINDS:
        if kind in _State.untold:
            attempt(_tell, kind, parent)
    _later(loop)


def _tell(kind, parent):
    text = take_text(f"{_State.folder}/trouble-{kind}.txt")
    if text is None:
        return
    _State.untold.discard(kind)
    kernel = _State.kernel
    content = {"data": {"text/plain": text}, "metadata": {}, "transient": {}}
    kernel.session.send(
        kernel.iopub_socket,
        "display_data",
        content,
        parent=parent,
        ident=kernel._topic("display_data"),
    )
