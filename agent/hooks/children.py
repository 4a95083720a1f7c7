"""Exceptions that end a multiprocessing child, which prints them and exits 1."""

from _holdfast_agent import seen, watched

_known = []  # multiprocessing.process, and the process object whose work is watched


def install(module):
    """Before what is called on the way to run(), in forked and spawned children alike."""
    _known[:] = [module, None]
    base = module.BaseProcess
    before = getattr(base, "_after_fork", None)  # 3.10
    if before is not None:
        base._after_fork = staticmethod(seen(before, watch_child))
    watch_child()


def watch_child():
    """Runs in a child that is about to start its work; elsewhere there is nothing to do."""
    if not _known:
        return
    process = _known[0].current_process()
    if process is _known[1] or type(process).__name__ == "_MainProcess":
        return
    _known[1] = process
    process.run = watched(process.run, _child_ended)


def _child_ended(error):
    if isinstance(error, SystemExit):
        return
    from hooks.exceptions import record

    record(error)
