"""What an object holds, read without running any code of its class.

`in` and dictionaries ask a metaclass for `__eq__` and `__hash__`, and that is the program's own
code. So types are kept by their id. See kinds.py.
"""

import sys

from hooks.kinds import MEMBER, bases, is_front_end, module_of, names_of, reads_dictionary

_CACHED = 20_000  # entries of a cache that are looked at


class Shapes:
    """How to read instances of each type met; valid for one look."""

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
        """Up to `most` (name, value) of an instance, a class or a function, and how many it has."""
        kind = type(value)
        reader = self._known.get(id(kind))
        if reader is None:
            reader = self._known[id(kind)] = _class if issubclass(kind, type) else _reader(kind)
        return reader(value, most)


def _class(value, most):
    """What the program's own classes hold for all their instances."""
    if module_of(value) != "__main__":
        return [], 0
    names = names_of(value)
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
    """functools.lru_cache shows its contents only to the garbage collector, and only all at once:
    that takes memory when there may be none. So of a large cache only the count is given."""
    count = type(value).cache_info(value)[3]
    if count > _CACHED:
        return [], count
    held = sys.modules["gc"].get_referents(value)
    found = [("cache", one) for one in held if type(one) is dict and one]
    return found[:1], len(found[:1])


def _reader(kind):
    getter = None
    slots = []
    for base in bases(kind):
        names = names_of(base)
        own = names.get("__dict__")
        if getter is None and reads_dictionary(own, kind):
            getter = own.__get__
        for name, member in names.items():
            if type(member) is MEMBER and type(name) is str and not name.startswith("__"):
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
    """The first items; fewer if another thread changes their source."""
    found = []
    try:
        for one in items:
            if len(found) >= most:
                break
            found.append(one)
    except RuntimeError:
        pass
    return found
