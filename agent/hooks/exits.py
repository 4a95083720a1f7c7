"""Who called sys.exit(), exit() or quit()."""

from _holdfast_agent import exit_called, seen


def install(module):
    """The function and its stand-in look the same: name, module, text, and no frame."""
    if module.__name__ == "sys":
        module.exit = seen(module.exit, exit_called)
    else:
        quitter = module.Quitter
        quitter.__call__ = seen(quitter.__call__, exit_called)
