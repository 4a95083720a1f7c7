"""A Jupyter kernel: the running cell, and who asked it to stop."""

import sys

from _holdfast_agent import note, seen

_SHUTDOWN = 2
_CELL = 3
_running = []  # first line and number of the cell; the shell's own counts on before it ends


def install(module):
    """Later, while the kernel's shell is not made yet."""
    application = module.IPKernelApp
    kernel = getattr(application._instance, "kernel", None)
    shell = getattr(kernel, "shell", None)
    if shell is None:
        return "later"
    kernel.do_shutdown = seen(kernel.do_shutdown, _shutdown)
    shell.events.register("pre_run_cell", _cell_begins)
    shell.events.register("post_run_cell", _cell_ends)
    return None


def _shutdown(restart=False, *_):
    note(_SHUTDOWN, "", 1 if restart else 0)


def _cell_begins(info):
    shell = sys.modules["IPython.core.interactiveshell"].InteractiveShell._instance
    lines = (getattr(info, "raw_cell", None) or "").strip().split("\n", 1)
    _running[:] = [lines[0][:200], getattr(shell, "execution_count", 0) or 0]
    note(_CELL, _running[0], _running[1], 1)


def _cell_ends(result):
    if _running:
        note(_CELL, _running[0], _running[1], 0)
