"""What an object is and what it holds, read past every line of code that its class may bring.

`isinstance` asks `__class__`, `in` and dictionaries ask a metaclass for `__eq__` and `__hash__`,
and `__dict__` may be a property: all of that is the program's own code. So types are compared by
`is` and by `issubclass(type(x), ...)`, kept by their id, and read through descriptors of `type`.
"""

import sys

_name = type.__dict__["__name__"].__get__
_module = type.__dict__["__module__"].__get__
_bases = type.__dict__["__mro__"].__get__
_names = type.__dict__["__dict__"].__get__
_GETSET = type(type.__dict__["__dict__"])
_CACHED = 20_000  # entries of a cache that are looked at
_MEMBER = type(type(lambda: 0).__dict__["__closure__"])


def title_of(kind):
    """The name of a type."""
    return _name(kind)


def module_of(kind):
    found = _module(kind)
    return found if type(found) is str else ""


def is_front_end(kind):
    """IPython's own: `exit` and `quit` in a notebook lead to the shell, and so to every name."""
    return module_of(kind).partition(".")[0] in ("IPython", "ipykernel")


def is_a(value, kinds):
    """isinstance, without a question to the value's `__class__`."""
    return issubclass(type(value), kinds)


def dictionary_of(thing):
    """Of an instance or a module; None: it has none, or its class hides it."""
    for base in _bases(type(thing)):
        own = _names(base).get("__dict__")
        if type(own) is _GETSET or type(own) is _MEMBER:
            held = own.__get__(thing)
            return held if type(held) is dict else None
    return None


class Shapes:
    """How to read instances of each type met; for the time of one look."""

    def __init__(self):
        self._known = {}  # id of a type -> a function: value, most -> [(name, value)], count
        self._families = {id(type(one)): "code" for one in (sys, len, Shapes.family, "".join)}
        collections = sys.modules.get("_collections")
        self._deque = getattr(collections, "deque", None)
        cache = getattr(sys.modules.get("functools"), "_lru_cache_wrapper", None)
        self._known[id(type(take))] = _closure
        self._known[id(cache)] = _cache

    def family(self, kind):
        """ "mapping", "sequence", "set", "code", or "instance" for all others."""
        number = id(kind)
        if number not in self._families:
            self._families[number] = self._family(kind)
        return self._families[number]

    def _family(self, kind):
        if issubclass(kind, dict):
            return "mapping"
        if issubclass(kind, (list, tuple)):
            return "sequence"
        if issubclass(kind, (set, frozenset)) or kind is self._deque:
            return "set"
        plain = issubclass(kind, (property, staticmethod, classmethod)) or is_front_end(kind)
        return "code" if plain else "instance"

    def parts(self, value, most):
        """Up to so many (name, value) of an instance, a class or a function; how many there are."""
        kind = type(value)
        reader = self._known.get(id(kind))
        if reader is None:
            reader = self._known[id(kind)] = _class if issubclass(kind, type) else _reader(kind)
        return reader(value, most)


def _class(value, most):
    """What the program's own classes keep for all of their instances."""
    if module_of(value) != "__main__":
        return [], 0
    names = _names(value)
    return [pair for pair in take(names.items(), most) if not pair[0].startswith("__")], len(names)


def _closure(value, most):
    function = type(take)
    cells = function.__closure__.__get__(value) or ()
    names = function.__code__.__get__(value).co_freevars
    found = []
    for name, cell in zip(names, cells[:most]):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # empty
            continue
    return found, len(found)


def _cache(value, most):
    """Of functools.lru_cache, which tells its contents to the garbage collector alone, and all of
    them at once: that takes memory, when there may be none. Of a large one the number is told."""
    count = type(value).cache_info(value)[3]
    if count > _CACHED:
        return [], count
    held = sys.modules["gc"].get_referents(value)
    found = [("cache", one) for one in held if type(one) is dict and one]
    return found[:1], len(found[:1])


def _reader(kind):
    getter = None
    slots = []
    for base in _bases(kind):
        names = _names(base)
        own = names.get("__dict__")
        if getter is None and (type(own) is _GETSET or type(own) is _MEMBER):
            getter = own.__get__
        for name, member in names.items():
            if type(member) is _MEMBER and type(name) is str and not name.startswith("__"):
                slots.append((name, member.__get__))

    def read(value, most):
        found = []
        for name, slot in slots[:most]:
            try:
                found.append((name, slot(value)))
            except AttributeError:  # not set
                continue
        count = len(found)
        held = getter(value) if getter is not None else None
        if held is not None and issubclass(type(held), dict):
            count += dict.__len__(held)
            found += take(dict.items(held), most)
        return found, count

    return read


def take(items, most):
    """The first of them; fewer where another thread changes what they come from."""
    found = []
    try:
        for one in items:
            if len(found) >= most:
                break
            found.append(one)
    except RuntimeError:
        pass
    return found
