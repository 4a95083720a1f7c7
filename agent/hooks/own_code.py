"""Which code and objects are the program's own, and what they hold, without running any of it."""

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
    """Without __getattr__ and properties: reading an attribute would load a lazy module."""
    return dictionary_of(thing) or {}
