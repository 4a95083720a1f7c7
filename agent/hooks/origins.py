"""For a line that calls the program's own functions: the one line in them that can make NaN.

The functions have returned, so their numbers are gone and only their code is left. If all of them
contain just one logarithm, root or division, that is the line; several prove nothing.
"""

import sys

from hooks.own_code import attributes, is_own

_FUNCTION = type(lambda: None)
_DEEPEST = 3
_LONGEST = 1 << 14  # bytes of a function's code
_ROOTS = (
    "log",
    "log2",
    "log10",
    "sqrt",
    "rsqrt",
    "acos",
    "asin",
    "arccos",
    "arcsin",
    "atanh",
    "logit",
)
_DIVISIONS = ("div", "divide", "true_divide", "reciprocal")


def below(code, line, local, outer):
    """(file, line), or nothing. `local`, `outer`: the names visible at the calling line."""
    if "dis" not in sys.modules:
        return None
    found = {}
    _gather(code, line, local, outer, found, _DEEPEST)
    for kind in ("root", "division"):
        places = [place for place, what in found.items() if what == kind]
        if places:
            return places[0] if len(places) == 1 else None
    return None


def _gather(code, line, local, outer, found, depth):
    for called, names in _called(code, line, local, outer):
        if len(called.co_code) > _LONGEST:
            continue
        for at, kind in _risks(called):
            found.setdefault((called.co_filename, at), kind)
        if depth > 1:
            _gather(called, None, {}, names, found, depth - 1)


def _instructions(code):
    dis = sys.modules["dis"]
    starts = dict(dis.findlinestarts(code))
    line = 0
    for one in dis.get_instructions(code):
        line = starts.get(one.offset) or line
        yield one, line


def _risks(code):
    for one, line in _instructions(code):
        name = one.argval if one.opname.startswith("LOAD_") else None
        if name in _ROOTS:
            yield line, "root"
        elif name in _DIVISIONS or _divides(one):
            yield line, "division"


def _divides(one):
    return "TRUE_DIVIDE" in one.opname or (one.opname == "BINARY_OP" and one.argrepr in ("/", "/="))


def _called(code, line, local, outer):
    """The program's own functions that a line names (or any line): (code, names around it)."""
    thing = None
    for one, at in _instructions(code):
        if line is not None and at != line:
            continue
        if not one.opname.startswith("LOAD_") or one.opname.startswith("LOAD_CONST"):
            continue
        for name in one.argval if type(one.argval) is tuple else (one.argval,):
            if type(name) is not str:
                continue
            if one.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")):
                thing = _part(thing, name)
            else:
                thing = local.get(name, outer.get(name))
            function = _function(thing)
            if function is not None and is_own(function.__code__.co_filename):
                yield function.__code__, function.__globals__


def _part(thing, name):
    if thing is None:
        return None
    own = attributes(thing)
    if name in own:
        return own[name]
    parts = own.get("_modules")
    if type(parts) is dict and name in parts:
        return parts[name]
    return _of_class(type(thing), name)


def _of_class(kind, name):
    for base in type.__dict__["__mro__"].__get__(kind):
        value = type.__dict__["__dict__"].__get__(base).get(name)
        if value is not None:
            return value
    return None


def _function(thing):
    """The function that a call runs: the object itself, or a module's forward."""
    if type(thing) is _FUNCTION:
        return thing
    if "_modules" in attributes(thing):
        forward = _of_class(type(thing), "forward")
        return forward if type(forward) is _FUNCTION else None
    return None
