"""Who called sys.exit(), exit() or quit(), and whether a number near the call was not finite."""

import sys

from _holdfast_agent import attempt, exit_called, seen

_most = 4  # records of a program that catches its own exits
_looks = []


def install(module):
    """The stand-in looks like the function: same name, module and text, and no frame."""
    if module.__name__ == "sys":
        module.exit = seen(seen(module.exit, _look), exit_called)
    else:
        quitter = module.Quitter
        quitter.__call__ = seen(seen(quitter.__call__, _look), exit_called)


def _look(*given):
    status = given[-1] if given else None
    threading = sys.modules.get("threading")
    if status is None or status == 0 or type(status) not in (int, str) or len(_looks) >= _most:
        return
    # Not current_thread(): it would create an object for a thread that threading does not know.
    if threading is not None and threading.get_ident() != threading.main_thread().ident:
        return
    _looks.append(None)
    attempt(_note, sys._getframe(1))


def _note(frame):
    from hooks.nonfinite import note_at_exit

    note_at_exit(frame)
