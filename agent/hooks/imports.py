"""Makes the agent visit a program soon after it imports something, even if it allocates little."""

from _holdfast_agent import knock, seen


def install(module):
    """Before what the import system asks first about every module that is new to it."""
    module.is_builtin = seen(module.is_builtin, knock)
