"""The main thread's unhandled exception, found in `sys.last_value` when the interpreter ends.

sys.excepthook stays what it is: programs compare it with sys.__excepthook__.
"""

import sys

from _holdfast_agent import over, seen

_installed = []
_told = []  # the id of the recorded exception; sys.last_value keeps it alive


def install(module):
    """At once if atexit exists without an import, else when the program has imported it."""
    if _installed:
        return
    module = module or sys.modules.get("atexit") or _own_atexit()
    if module is None:
        return
    _installed.append(module)
    # Registered this early, it runs after all that the program registers.
    module.register(seen(None, _at_exit))


def _own_atexit():
    """The built-in module, made without the import machinery, because tracers may see an import.

    From 3.10 on the list of functions belongs to the interpreter, and any copy of the module
    writes into it. Before, it belongs to the module, so the program must get this very module.
    """
    if "atexit" not in sys.builtin_module_names:
        return None
    import _imp

    bootstrap = sys.modules["_frozen_importlib"]
    spec = bootstrap.ModuleSpec("atexit", bootstrap.BuiltinImporter, origin="built-in")
    module = _imp.create_builtin(spec)
    _imp.exec_builtin(module)
    if sys.version_info < (3, 10):
        module.__spec__ = spec
        module.__loader__ = bootstrap.BuiltinImporter
        module.__package__ = ""
        sys.modules["atexit"] = module
    return module


def look():
    """Records what ended the main program, if an exception did."""
    # An interactive interpreter and a shell of IPython's keep the last error there and go on.
    if hasattr(sys, "ps1") or _has_shell():
        return
    error = getattr(sys, "last_exc", None)
    if error is None:
        error = getattr(sys, "last_value", None)
    if not isinstance(error, BaseException) or isinstance(error, SystemExit):
        return
    if id(error) not in _told:
        from hooks.exceptions import record

        _told[:] = [id(error)]
        record(error, traceback=getattr(sys, "last_traceback", None))


def _has_shell():
    """Keras 3 and others import IPython in programs that have no shell."""
    module = sys.modules.get("IPython.core.interactiveshell")
    shell = getattr(module, "InteractiveShell", None)
    return getattr(shell, "_instance", None) is not None


def _at_exit():
    look()
    over()
