"""What keeps growing memory: a walk from the program's names down to the containers they reach.

Looked at while memory grows, because afterwards it is gone. Never over the whole heap: from the
frames and modules of the program's own code, along dictionaries of instances, closures, caches and
containers, for a few milliseconds. It calls nothing of the program's own and keeps no reference.
"""

import sys

from _holdfast_agent import clock, fast_locals, keeper
from hooks.kinds import is_a, is_front_end, module_of, title_of
from hooks.own_code import attributes, is_own

_NANOSECONDS = 5_000_000
_DEEPEST = 4
_FEWEST = 16  # items; fewer are parts of something, not a collection
_LEAST = 1 << 20  # bytes, of what is no collection
_SHORT = 64  # into so many items it looks, one by one
_KEPT = 3
_SURE = 100
_UNWEIGHED = 1 << 18  # what a graph behind a tensor, or an entry of a cache, is taken for
_GRAPH, _OPAQUE = 1, 2
_MODELS = ("sklearn.", "xgboost.", "lightgbm.", "catboost")  # their trees lie outside Python
_PLAIN = (int, float, bool, complex, type(None))

_GENERATOR = type(one for one in ())
_traceback = BaseException.__dict__["__traceback__"].__get__

_Cell = type((lambda value: lambda: value)(None).__closure__[0])

_before = {}  # name -> (items, bytes) at the last look
_asked = []  # names in sys.modules at the last look
_own = set()  # those of the program's own among them
_top = ""  # the name that had grown most then
_told = {}  # what was noted of it


def look():
    """Notes the containers that grew most since the last look; whether there were any."""
    walk = _Walk(clock() + _NANOSECONDS)
    frame = sys._getframe(1)
    modules = {}
    while frame is not None:
        file = frame.f_code.co_filename
        if is_own(file):
            walk.names(locals_of(frame), file, "", 0)
            modules[file] = frame.f_globals
        frame = frame.f_back
    for names in _own_modules():
        modules.setdefault(names["__file__"], names)
    for file, names in modules.items():
        walk.names(names, file, "", 0)
    # A handler of the program's own often has no name left but this one.
    handlers = attributes(attributes(sys.modules.get("logging")).get("root")).get("handlers")
    if handlers and modules:
        walk.later("logging.root.handlers", handlers, next(iter(modules)), 0)
    walk.go()
    # The walk was cut off before it reached what grew most the last time; the last look knew more.
    if not (walk.cut and _top and _top not in walk.found):
        _report(walk.found)
    return bool(walk.found)


def _own_modules():
    """The names in each module of the program's own. Torch alone brings 2,000 of others: each is
    asked once."""
    known = list(sys.modules)
    for name in known[len(_asked) :] if known[: len(_asked)] == _asked else known:
        file = attributes(sys.modules.get(name)).get("__file__")
        if type(file) is str and is_own(file):
            _own.add(name)
    _asked[:] = known
    found = [attributes(sys.modules.get(name)) for name in _own]
    return [names for names in found if type(names.get("__file__")) is str]


def _report(found):
    global _before, _top
    grown = []
    for name, seen in found.items():
        items, size, kind, graphs, file = seen
        was = _before.get(name, (0, 0))
        more = size - was[1]
        unweighed = graphs or kind == "lru_cache"
        weight = more + (items - was[0]) * _UNWEIGHED if unweighed else more
        grown.append((weight, name, kind, items, size, more, graphs, file))
    _before = {name: seen[:2] for name, seen in found.items()}
    grown.sort(key=lambda one: one[0], reverse=True)
    _top = grown[0][1] if grown else ""
    _told.clear()
    if grown and grown[0][0] > 0:
        _, name, kind, items, size, more, _, _ = grown[0]
        _told.update(name=name, kind=kind, items=items, bytes=size, grown=max(more, 0))
    for place in range(_KEPT):
        if place < len(grown) and grown[place][0] > 0:
            _, name, kind, items, size, more, graphs, file = grown[place]
            keeper(place, name, kind, items, size, max(more, 0), graphs, file)
        else:
            keeper(place, "", "", 0, 0, 0, 0, "")


def grown_most():
    """What the last look found to have grown most, as plain values; None: nothing."""
    return dict(_told) if _told else None


class _Walk:
    """What is near a name comes before what lies deep below another."""

    def __init__(self, end):
        self.end = end
        self.met = set()
        self.found = {}
        self.open = []  # (name, value, file, depth), nearest first
        self.late = []  # the same for objects of libraries: there are many, and few that keep
        self.cut = False

    def go(self):
        done = late = 0
        while done < len(self.open) or late < len(self.late):  # both grow meanwhile
            near = done < len(self.open)
            # On a busy machine the clock runs for others too: the first few come in any case.
            if (done >= _SURE or not near) and clock() > self.end:
                self.cut = True
                break
            if near:
                self.value(*self.open[done])
                done += 1
            else:
                self.value(*self.late[late])
                late += 1
        for path in [path for path in self.found if self._is_a_part(path)]:
            del self.found[path]

    def names(self, names, file, path, depth):
        """The values behind names: locals, globals, attributes."""
        for name, value in list(names.items()):
            if type(name) is str and not name.startswith("__"):
                self.later(path + name, value, file, depth)

    def later(self, path, value, file, depth):
        if not _is_one_of(type(value), _PLAIN) and id(value) not in self.met and depth <= _DEEPEST:
            self.met.add(id(value))
            kind = type(value)
            module = module_of(kind)
            near = module in ("builtins", "__main__") or module in _own
            (self.open if near else self.late).append((path, value, file, depth))

    def value(self, path, value, file, depth):
        kind = type(value)
        title = _known_title(kind)
        if is_a(value, (list, dict, set)) or title == "deque":
            self.container(path, value, title, file, depth)
        elif is_a(value, tuple):
            for at, part in enumerate(tuple.__getitem__(value, slice(8))):
                self.later(f"{path}[{at}]", part, file, depth + 1)
        elif _is_one_of(kind, (bytes, bytearray, str)):
            self.note(path, len(value), len(value), title, 0, file)
        elif title == "_lru_cache_wrapper":
            info = value.cache_info()
            if info.maxsize is None:
                self.note(path, info.currsize, 0, "lru_cache", 0, file)
        elif title in ("function", "method"):
            function = value if title == "function" else value.__func__
            code = getattr(function, "__code__", None)
            if code is not None and is_own(code.co_filename):
                for name, cell in zip(code.co_freevars, function.__closure__ or ()):
                    self.later(f"{path}.{name}", _contents(cell), file, depth + 1)
        elif is_a(value, type):
            module = sys.modules.get(module_of(value))
            if is_own(attributes(module).get("__file__") or "<holdfast"):
                names = dict(type.__dict__["__dict__"].__get__(value))
                self.names(names, file, path + ".", depth + 1)
        elif title in ("ndarray", "DataFrame", "Series", "Tensor"):
            self.note(path, _rows(value), _size(value, 0, set())[0], title, 0, file)
        elif title != "module" and not is_front_end(kind):
            self.names(attributes(value), file, path + ".", depth + 1)

    def container(self, path, value, title, file, depth):
        count = _count(value)
        each, graphs = 0, 0
        ends = _sample(value, count)
        if ends:
            met = set()
            sizes = [_size(one, 0, met) for one in ends]
            graphs = _mark(sizes)
            per_item = 2 if is_a(value, dict) else 1  # a key and a value
            each = sum(size for size, _ in sizes) * per_item // len(sizes)
        self.note(path, count, count * (each + 16), title, graphs, file)
        if count > _SHORT:
            return
        if is_a(value, dict):
            for key, part in list(dict.items(value)):
                self.later(f"{path}[{_key(key)}]", part, file, depth + 1)
        elif is_a(value, list):
            for at, part in enumerate(list.__getitem__(value, slice(None))):
                self.later(f"{path}[{at}]", part, file, depth + 1)

    def note(self, path, items, size, kind, graphs, file):
        if items >= _FEWEST or size >= _LEAST or kind == "lru_cache":
            self.found[path] = (items, size, kind, graphs, file)

    def _is_a_part(self, path):
        """An item is no keeper if its container keeps many like it, nor is what one item fills."""
        whole = self.found.get(path[: path.rfind("[")]) if path.endswith("]") else None
        if whole is not None and self.found[path][1] < 0.6 * whole[1]:
            return True
        start = path + "["
        return any(
            other.startswith(start) and seen[1] >= 0.6 * self.found[path][1]
            for other, seen in self.found.items()
        )


_MODULES = {  # of the types that are looked into by their names
    "deque": "collections",
    "_lru_cache_wrapper": "functools",
    "ndarray": "numpy",
    "DataFrame": "pandas",
    "Series": "pandas",
    "Tensor": "torch",
    "function": "builtins",
    "method": "builtins",
    "module": "builtins",
}


def _known_title(kind):
    """The name of a type; of one that only has the name of a known one, another."""
    title = title_of(kind)
    wanted = _MODULES.get(title)
    return title if wanted is None or module_of(kind).partition(".")[0] == wanted else title + "?"


def _is_one_of(kind, kinds):
    """By `is`: a metaclass of the program may have an `__eq__`."""
    return any(kind is one for one in kinds)


def _count(value):
    for kind in (dict, list, set):
        if is_a(value, kind):
            return kind.__len__(value)
    return len(value)


def _key(key):
    return f'"{key}"' if type(key) is str and len(key) < 32 else "..."


def _sample(value, count):
    """Up to eight items, the newest among them; past what a subclass may have put in between."""
    try:
        if is_a(value, dict):
            keys = list(dict.keys(value))[-_FEWEST:] if count <= _SHORT else _last(value)
            return [part for key in keys for part in (key, dict.__getitem__(value, key))]
        if is_a(value, list):
            step = max(1, count // 8)
            return [list.__getitem__(value, at) for at in range(count - 1, -1, -step)][:8]
        items = set.__iter__(value) if is_a(value, set) else iter(value)
        return [next(items) for _ in range(min(count, 4))]
    except (RuntimeError, KeyError, IndexError, StopIteration):  # another thread changes it
        return []


def _last(value):
    keys = dict.__reversed__(value)
    return [next(keys) for _ in range(4)]


def _size(value, depth, met):
    """About how many bytes it holds, and _GRAPH or _OPAQUE where that is not all. What several
    items share, as processes do their arguments, counts for the first that was `met`."""
    kind = type(value)
    if _is_one_of(kind, _PLAIN):
        return 32, 0
    if id(value) in met:
        return 64, 0
    met.add(id(value))
    if _is_one_of(kind, (str, bytes, bytearray)):
        return 56 + len(value), 0
    title = _known_title(kind)
    if title == "ndarray":
        return 128 + value.nbytes, 0
    if title == "Tensor":
        mark = 0 if value.grad_fn is None else _GRAPH
        return 512 + value.element_size() * value.nelement(), mark
    if title in ("DataFrame", "Series"):
        return 1024 + _frame_bytes(value), 0
    if module_of(kind).startswith(_MODELS) or kind is _GENERATOR:
        return 64, _OPAQUE
    if is_a(value, BaseException) and _traceback(value) is not None:  # frames, with all in them
        return 64, _OPAQUE
    if depth >= 3:
        return 64, 0
    if is_a(value, (list, tuple, set, dict)):
        plain = is_a(value, tuple)
        count = tuple.__len__(value) if plain else _count(value)
        ends = tuple.__getitem__(value, slice(8)) if plain else _sample(value, count)
        if not ends:
            return 64, 0
        sizes = [_size(one, depth + 1, met) for one in ends]
        per_item = 2 if is_a(value, dict) else 1
        each = sum(size for size, _ in sizes) * per_item // len(sizes)
        return 64 + count * (each + 16), _mark(sizes)
    sizes = [_size(one, depth + 1, met) for one in list(attributes(value).values())[:16]]
    return 64 + sum(size for size, _ in sizes), _mark(sizes)


def _mark(sizes):
    marks = [mark for _, mark in sizes]
    return _GRAPH if _GRAPH in marks else max(marks, default=0)


def _frame_bytes(value):
    """Of a pandas frame, past its own properties."""
    blocks = getattr(attributes(value).get("_mgr"), "blocks", ())
    return sum(getattr(getattr(block, "values", None), "nbytes", 0) for block in blocks)


def _rows(value):
    shape = getattr(value, "shape", None)
    if _known_title(type(value)) in ("DataFrame", "Series"):
        blocks = getattr(attributes(value).get("_mgr"), "blocks", ())
        shape = getattr(getattr(blocks[0], "values", None), "shape", ())[-1:] if blocks else ()
    return int(shape[0]) if shape else 0


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def locals_of(frame):
    """A running function's variables."""
    code = frame.f_code
    if not code.co_flags & 1:  # not optimised: a module's or a class's own dictionary
        return frame.f_locals
    # Before 3.13 f_locals of a function would keep everything in it alive, and change what the
    # program's own locals() returned.
    if sys.version_info >= (3, 13):
        return dict(frame.f_locals)
    names = code.co_varnames
    inner = code.co_cellvars
    if sys.version_info >= (3, 11):  # an argument that is a cell as well has one place, not two
        inner = tuple(name for name in inner if name not in names)
    names = names + inner + code.co_freevars
    values = fast_locals(frame, len(names))
    return {name: _contents(one) if type(one) is _Cell else one for name, one in zip(names, values)}
