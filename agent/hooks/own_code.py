"""Which code and objects are the program's own, and what they hold, without running any of it."""

from hooks.kinds import dictionary_of
from hooks.numbers import OWN_CODE


def is_own(file):
    """As knowledge/own_code.cc decides."""
    if type(file) is not str:
        return False
    for how, text, own in OWN_CODE:
        if how == "holds":
            fits = text in file
        elif how == "begins":
            fits = file.startswith(text)
        elif how == "relative":
            fits = file.endswith(text) and not file.startswith("/")
        else:
            fits = file == text
        if fits:
            return own
    return file != ""


def attributes(thing):
    """Without __getattr__ and properties: reading an attribute would load a lazy module."""
    return dictionary_of(thing) or {}
