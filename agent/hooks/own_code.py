"""What is the program's own, and what its objects hold, without running any of it."""

from hooks.kinds import dictionary_of

_FOREIGN = (
    "/site-packages/",
    "/dist-packages/",
    "/lib/python",
    "<frozen",
    "<holdfast",
    "/__autograph_generated_file",
)


def is_own(file):
    return not any(part in file for part in _FOREIGN)


def attributes(thing):
    """Past __getattr__ and properties: a lazy module would be loaded by a look at it."""
    return dictionary_of(thing) or {}
