"""Decides whether an exception from one of our functions is ours or the program's."""

import _signal


def judge(error, traceback):
    """(True, the traceback to go on with) for the program's exceptions, else (False, a text).

    Python runs signal handlers between any two bytecodes of the main thread, ours included: a
    Ctrl-C, or the TimeoutError of a SIGALRM handler, may come up here and belongs to the program.
    """
    handlers = _handler_codes()
    entry = traceback
    last = None
    while entry is not None:
        if entry.tb_frame.f_code in handlers:
            return True, entry
        last = entry
        entry = entry.tb_next
    ours = last is None or last.tb_frame.f_code.co_filename.startswith("<holdfast")
    # KeyboardInterrupt comes from a handler without frames. PyThreadState_SetAsyncExc raises any
    # exception; only Python's own types are likely to be our mistakes.
    if not isinstance(error, Exception) or (ours and type(error).__module__ != "builtins"):
        return True, None
    place = "" if last is None else f"{last.tb_frame.f_code.co_filename}:{last.tb_lineno}: "
    return False, f"{place}{type(error).__name__}: {error}"[:400]


def _handler_codes():
    codes = set()
    for number in range(1, 65):
        try:
            handler = _signal.getsignal(number)
        except (ValueError, OSError):
            continue
        if handler is None or isinstance(handler, int):
            continue
        function = getattr(handler, "func", handler)  # functools.partial
        function = getattr(function, "__func__", function)
        code = getattr(function, "__code__", None)
        if code is None:
            code = getattr(vars(type(handler)).get("__call__"), "__code__", None)
        if code is not None:
            codes.add(code)
    return codes
