"""A program that imports gets a visit soon, whether or not it allocates much."""

from _holdfast_agent import knock, seen


def install(module):
    """Before what the import system asks first about every module that is new to it."""
    module.is_builtin = seen(module.is_builtin, knock)
