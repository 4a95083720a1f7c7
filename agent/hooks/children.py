"""Exceptions that end a multiprocessing child, which prints them and exits 1."""

from _holdfast_agent import seen, watched

_known = []  # multiprocessing.process, and the process object that is watched


def install(module):
    """Wraps a function that runs before run() in forked and in spawned children."""
    _known[:] = [module, None]
    base = module.BaseProcess
    before = getattr(base, "_after_fork", None)  # 3.10
    if before is not None:
        base._after_fork = staticmethod(seen(before, watch_child))
    watch_child()


def watch_child():
    """Runs in a child that is about to start its work; does nothing elsewhere."""
    if not _known:
        return
    process = _known[0].current_process()
    if process is _known[1] or type(process).__name__ == "_MainProcess":
        return
    _known[1] = process
    # Among its attributes only until it is called: the program may look at them, or copy them. Not
    # by setattr, which may be the program's own.
    names = object.__getattribute__(process, "__dict__")
    own = [names["run"]] if "run" in names else []

    def begins(*_):
        if own:
            names["run"] = own[0]
        else:
            names.pop("run", None)

    names["run"] = watched(seen(process.run, begins), _child_ended)


def _child_ended(error):
    if isinstance(error, SystemExit):
        return
    from hooks.exceptions import record

    record(error)
