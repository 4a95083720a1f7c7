"""Makes the agent visit a program soon after it imports something, even if it allocates little."""

from _holdfast_agent import knock, seen


def install(module):
    """Wraps the function that the import system calls first for every new module."""
    module.is_builtin = seen(module.is_builtin, knock)
