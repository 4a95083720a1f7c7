"""Exceptions that end a thread, and the main thread's exception while others still run."""

from _holdfast_agent import seen

_stand_ins = {}


def install(module):
    """`_thread` always comes first; `threading` copies from it what it uses, once it comes."""
    if module.__name__ == "_thread":
        _replace(module, "_excepthook", _thread_ended)
        _replace(module, "get_native_id", _thread_begins)
        return
    _replace(module, "excepthook", _thread_ended)
    _replace(module, "get_native_id", _thread_begins)
    # The interpreter waits for threads before atexit. A thread that hangs must not hide the
    # exception that ended the main thread long before.
    before_waiting = getattr(module, "_register_atexit", None)  # 3.9
    if before_waiting is not None and not getattr(module, "_SHUTTING_DOWN", False):
        before_waiting(seen(None, _main_thread_ended))


def _replace(module, name, report):
    function = getattr(module, name, None)
    if function is None or function in _stand_ins.values():
        return
    known = id(function) in _stand_ins
    stand_in = _stand_ins[id(function)] if known else seen(function, report)
    _stand_ins[id(function)] = stand_in
    setattr(module, name, stand_in)
    if getattr(module, "__excepthook__", None) is function:
        module.__excepthook__ = stand_in


def _thread_begins():
    """Called by every new thread, and by a multiprocessing child before its work."""
    from hooks.children import watch_child
    from hooks.main import tick

    tick()
    watch_child()


def _main_thread_ended():
    from hooks.endings import look

    look()


def _thread_ended(what, *_):
    error = what.exc_value
    if error is None or what.exc_type is SystemExit:
        return
    from hooks.exceptions import record

    name = "" if what.thread is None else what.thread.name
    record(error, name, False, what.exc_traceback)
