"""A Jupyter kernel: its cells, the requests they answer, and who asked it to stop."""

import sys

from _holdfast_agent import (
    attempt,
    hook,
    keep_words,
    note,
    on_worthless_steps,
    refusal,
    run_directory,
    seen,
)
from hooks.brink import after_cell
from hooks.cells import begin, end, open_box, take_file
from hooks.numbers import NOTE_CELL, NOTE_SHUTDOWN_REQUEST
from hooks.trouble import listen, rest


class _State:
    shell = None
    kernel = None
    running = None  # the cell's first line and number; the shell counts on before the cell ends
    untold = None  # the message that the kernel before this one could not show
    refused = 0  # how often the guard had refused something when the cell began
    depth = {}  # noqa: RUF012  message -> depth: get_ipython().run_cell() runs a cell in a cell


def install(module):
    """Before the first cell: when the application starts, its kernel has got no request yet."""
    application = module.IPKernelApp
    if application._instance is None or getattr(application._instance, "kernel", None) is None:
        application.start = seen(application.start, _started)
    else:
        _started(application._instance)


def _started(app, *_):
    kernel = getattr(app, "kernel", None)
    shell = getattr(kernel, "shell", None)
    if shell is None or _State.kernel is not None:
        return
    _State.kernel = kernel
    _State.shell = shell
    kernel.do_shutdown = seen(kernel.do_shutdown, _shutdown)
    # The shell's events know neither the request nor, for certain, the cell's number.
    kernel._publish_execute_input = seen(kernel._publish_execute_input, _cell_begins)
    shell.events.register("pre_run_cell", _shell_begins)
    shell.events.register("post_run_cell", _shell_ends)
    attempt(open_box, run_directory(), sys.executable, kernel.kernel_info)
    attempt(_look_for_untold, app)
    on_worthless_steps(_tell_of_worthless_steps)


def _tell_of_worthless_steps(since):
    """Shows it in the cell that trains, while it runs. The status bar says the same."""
    if not _State.depth:
        return
    text = (
        f"holdfast: the loss is not a number any more, at step {since} for the first time: "
        "these steps train nothing (holdfast explain nan-loss)"
    )
    _State.shell.display_pub.publish(hook("hooks.memory_report").one_line(text))


def _shutdown(restart=False, *_):
    note(NOTE_SHUTDOWN_REQUEST, "", 1 if restart else 0)


def _cell_begins(code, parent, count, *_):
    text = (code or "").strip().split("\n", 1)[0][:200]
    _State.running = (text, count or 0)
    _State.refused = (refusal() or (0,))[0]
    note(NOTE_CELL, text, count or 0, 1)
    keep_words()
    attempt(_write_down, code or "", parent, count or 0)
    attempt(listen, _State.kernel, run_directory(), parent)
    if _State.untold is not None:
        untold, _State.untold = _State.untold, None
        attempt(_State.shell.display_pub.publish, untold)


def _write_down(code, parent, count):
    name = _State.shell.compile.get_code_name(code, code, count)
    ident = _State.kernel._parent_ident
    if not isinstance(ident, (bytes, list)):  # from ipykernel 6 on one for each channel
        ident = ident["shell"]
    begin(name, code, count, parent.get("header") or {}, ident)


def _shell_begins(info):
    message = _message()
    _State.depth[message] = _State.depth.get(message, 0) + 1


def _shell_ends(result):
    message = _message()
    depth = _State.depth.pop(message, 1) - 1
    if depth > 0:
        _State.depth[message] = depth
        return
    rest()
    if _State.running is not None:
        note(NOTE_CELL, _State.running[0], _State.running[1], 0)
    attempt(end, message)
    if result is None:  # IPython itself failed, most likely for want of memory
        attempt(_tell_of_memory, getattr(sys, "last_value", None))
        return
    attempt(after_cell, _State.shell, result)
    attempt(_tell_of_memory, result.error_in_exec)


def _tell_of_memory(error):
    try:
        wanting = None if error is None else hook("hooks.memory_errors").about_memory(error)
        if wanting is not None:
            hook("hooks.cell_memory").tell(_State.shell, wanting, _State.refused)
    except MemoryError:  # no memory for the text; the cell's own error has been shown
        return
    except KeyboardInterrupt:  # the cell has ended, so the interrupt can only mean this text
        return


def _message():
    kernel = _State.kernel
    parent = kernel.get_parent() if hasattr(kernel, "get_parent") else kernel._parent_header
    return (parent.get("header") or {}).get("msg_id")


def _look_for_untold(app):
    """Reads what the supervisor left for a kernel that died between two cells before this one."""
    name = (getattr(app, "connection_file", None) or "").rpartition("/")[2]
    home = (run_directory() or "").rpartition("/runs/")[0]
    if name and home:
        _State.untold = take_file(f"{home}/kernels/{name}")
