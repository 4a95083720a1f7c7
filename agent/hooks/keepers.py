"""What keeps growing memory: a walk from the program's names down to the containers they reach.

Runs while memory grows, because afterwards it is gone. It never walks the whole heap: it starts at
the frames and modules of the program's own code and follows dictionaries of instances, closures,
caches and containers, for a few milliseconds. It calls none of the program's code and keeps no
reference.
"""

import sys

from _holdfast_agent import clock, fast_locals, keeper, note
from hooks.kinds import is_a, is_front_end, module_of, title_of
from hooks.numbers import NOTE_COLLECTOR_OFF
from hooks.own_code import attributes, is_own

_NANOSECONDS = 5_000_000
_DEEPEST = 4
_FEWEST = 16  # items; fewer are parts of something, not a collection
_LEAST = 1 << 20  # bytes, of a value that is no collection
_SHORT = 64  # up to this many items it looks into each
_KEPT = 3
_SURE = 100
_UNWEIGHED = 1 << 18  # assumed bytes of a graph behind a tensor, or of an entry of a cache
_GRAPH, _OPAQUE, _VIEWS = 1, 2, 3
_BLOCK = 64  # items in each of two halves, in which shared arrays are counted
_LEAST_BASE = 4096  # bytes that a view keeps beyond its own
_WEIGHED = 8  # containers of views
_SEVERAL = 4  # from this many arrays on, more items mean more arrays
_MODELS = ("sklearn.", "xgboost.", "lightgbm.", "catboost")  # their trees lie outside Python
_PLAIN = (int, float, bool, complex, type(None))
_LISTS = 4096  # so many lists in one dictionary are counted

_GENERATOR = type(one for one in ())
_traceback = BaseException.__dict__["__traceback__"].__get__

_Cell = type((lambda value: lambda: value)(None).__closure__[0])

_before = {}  # name -> (items, bytes) at the last look
_asked = []  # names in sys.modules at the last look
_own = set()  # those of them that are the program's own
_top = ""  # the name that grew most at the last look
_told = {}  # what was noted about it
_made = ()  # the objects whose __init__ was running at the last look, by id


def look():
    """Notes the containers that grew most since the last look; returns whether there were any."""
    walk = _Walk(clock() + _NANOSECONDS)
    frame = sys._getframe(1)
    modules = {}
    made = []
    while frame is not None:
        file = frame.f_code.co_filename
        if is_own(file):
            names = locals_of(frame)
            walk.names(names, file, "", 0)
            modules[file] = frame.f_globals
            if frame.f_code.co_name == "__init__" and frame.f_code.co_argcount:
                made.append(id(names.get(frame.f_code.co_varnames[0])))
        frame = frame.f_back
    _look_at_collector(made)
    for names in _own_modules():
        modules.setdefault(names["__file__"], names)
    for file, names in modules.items():
        walk.names(names, file, "", 0)
    # A logging handler of the program often has no other name that reaches it.
    handlers = attributes(attributes(sys.modules.get("logging")).get("root")).get("handlers")
    if handlers and modules:
        walk.later("logging.root.handlers", handlers, next(iter(modules)), 0)
    walk.go()
    # The walk was cut off before it reached the name that grew most last time: keep the last look.
    if not (walk.cut and _top and _top not in walk.found):
        _report(walk.found)
    return bool(walk.found)


def _look_at_collector(made):
    """Notes that cycles are never freed, and whether one object is being made all the time: what
    its __init__ collects is no garbage. What is kept has its id for itself."""
    global _made
    same = any(one in _made for one in made)
    _made = tuple(made)
    gc = sys.modules.get("gc")  # without it, nobody has turned it off
    if gc is not None and not (gc.isenabled() and gc.get_threshold()[0] > 0):
        note(NOTE_COLLECTOR_OFF, "", gc.get_count()[0], int(same))


def _own_modules():
    """The names in each module of the program's own. Torch alone brings 2,000 foreign modules, so
    each module is judged only once."""
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
        unweighed = graphs in (_GRAPH, _OPAQUE) or kind == "lru_cache"
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
    """Values near a name come before values deep below another name."""

    def __init__(self, end):
        self.end = end
        self.met = set()
        self.found = {}
        self.open = []  # (name, value, file, depth), nearest first
        self.late = []  # the same for objects of libraries: they are many, and few keep memory
        self.cut = False
        self.weighed = 0  # containers of views

    def go(self):
        done = late = 0
        while done < len(self.open) or late < len(self.late):  # both grow meanwhile
            near = done < len(self.open)
            # On a busy machine time runs out at once: so look at the first few in any case.
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
            self.note(path, _rows(value), _size(value, 0, _Met(False))[0], title, 0, file)
        elif title != "module" and not is_front_end(kind):
            self.names(attributes(value), file, path + ".", depth + 1)

    def container(self, path, value, title, file, depth):
        count = _count(value)
        each, graphs = 0, 0
        ends = _sample(value, count)
        if ends:
            met = _Met(False)
            sizes = [_size(one, 0, met) for one in ends]
            graphs = _mark(sizes)
            per_item = 2 if is_a(value, dict) else 1  # a key and a value
            each = sum(size for size, _ in sizes) * per_item // len(sizes)
        size = _size_of_lists(value, count, ends, sizes if ends else []) or count * (each + 16)
        if graphs == _VIEWS:
            kept = self.with_bases(value, count)
            graphs, size = (_VIEWS, kept) if kept >= 2 * size else (0, size)
        self.note(path, count, size, title, graphs, file)
        if count > _SHORT:
            return
        if is_a(value, dict):
            for key, part in list(dict.items(value)):
                self.later(f"{path}[{_key(key)}]", part, file, depth + 1)
        elif is_a(value, list):
            for at, part in enumerate(list.__getitem__(value, slice(None))):
                self.later(f"{path}[{at}]", part, file, depth + 1)

    def with_bases(self, value, count):
        """What small views keep alive: their whole arrays, each counted once. As many more for
        older items, if these do not share the arrays of the newest."""
        # By number, not by time: a busy machine must not change what it weighs from look to look.
        self.weighed += 1
        newest = _newest(value, 2 * _BLOCK) if self.weighed <= _WEIGHED else []
        met = _Met(True)
        size = sum(_size(one, 0, met)[0] for one in newest[:_BLOCK])
        first = set(met.bases)
        met.shared.clear()
        size += sum(_size(one, 0, met)[0] for one in newest[_BLOCK:])
        apart = len(met.bases) >= _SEVERAL and len(met.shared & first) <= 1
        return size * count // len(newest) if newest and apart else size

    def note(self, path, items, size, kind, graphs, file):
        if items >= _FEWEST or size >= _LEAST or kind == "lru_cache":
            self.found[path] = (items, size, kind, graphs, file)

    def _is_a_part(self, path):
        """An item is no keeper if its container holds many alike, nor is what one item fills."""
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
    """The name of a type; another name if it only shares the name of a known type."""
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


def _size_of_lists(value, count, ends, sizes):
    """Of a dictionary of lists, which may differ much: a few users have most of the clicks. 0 if it
    holds anything else."""
    if not is_a(value, dict) or not _SHORT < count <= _LISTS:
        return 0
    try:
        parts = list(dict.values(value))
    except RuntimeError:  # another thread changes it
        return 0
    if not all(type(part) is list for part in parts):
        return 0
    weighed = sum(len(part) for part in ends[1::2])
    each = sum(size for size, _ in sizes[1::2]) // weighed if weighed else 0
    return count * 80 + sum(len(part) for part in parts) * each


def _last(value):
    keys = dict.__reversed__(value)
    return [next(keys) for _ in range(4)]


def _newest(value, count):
    """The newest items of a list or a dictionary, the newest first; any of another container."""
    try:
        if is_a(value, list):
            return list.__getitem__(value, slice(-count, None))[::-1]
        keys = reversed(list(dict.keys(value))[-count:]) if is_a(value, dict) else None
        if keys is not None:
            return [dict.__getitem__(value, key) for key in keys]
        items = set.__iter__(value) if is_a(value, set) else reversed(value)
        return [one for one, _ in zip(items, range(count))]
    except (RuntimeError, KeyError):  # another thread changes it
        return []


class _Met(set):
    """What was weighed, by id; and the arrays that were weighed instead of their views."""

    def __init__(self, weighs_bases):
        super().__init__()
        self.weighs_bases = weighs_bases
        self.bases = set()
        self.shared = set()  # met again

    def base(self, at, size):
        if at in self.bases:
            self.shared.add(at)
        known = at in self
        self.bases.add(at)
        self.add(at)
        return 0 if known else size


def _size(value, depth, met):
    """About how many bytes it holds, plus _GRAPH, _OPAQUE or _VIEWS if that is not all. What items
    share (as processes share their arguments) counts only for the first item that `met` it.
    """
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
        return _array_size(128, value.nbytes, _base_of_array(value), 0, met)
    if title == "Tensor":
        mark = 0 if value.grad_fn is None else _GRAPH
        size = value.element_size() * value.nelement()
        return _array_size(512, size, _base_of_tensor(value), mark, met)
    if title in ("DataFrame", "Series"):
        return 1024 + _frame_bytes(value), 0
    if module_of(kind).startswith(_MODELS) or kind is _GENERATOR:
        return 64, _OPAQUE
    if is_a(value, BaseException) and _traceback(value) is not None:  # it keeps its frames alive
        return 64, _OPAQUE
    if depth >= 3:
        return 64, 0
    function = value.__func__ if title == "method" else value
    if _known_title(type(function)) == "function":
        cells = function.__closure__ or ()
        sizes = [_size(_contents(cell), depth + 1, met) for cell in cells[:16]]
        return 64 + sum(size for size, _ in sizes), _mark(sizes)
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


def _array_size(head, size, base, mark, met):
    """A view that is a small part of its array counts with all of it, if `met` weighs so."""
    at, whole = base
    if whole < 2 * size + _LEAST_BASE:
        met.add(at)
        return head + size, mark
    return head + (met.base(at, whole) if met.weighs_bases else size), mark or _VIEWS


def _base_of_array(value):
    """The id and the bytes of what an array is a view of. A mapped file is no memory."""
    base = value.base
    if base is None:
        return id(value), value.nbytes
    if _known_title(type(base)) == "ndarray" and base.base is None:
        return id(base), base.nbytes
    return (id(base), len(base)) if _is_one_of(type(base), (bytes, bytearray)) else (id(value), 0)


def _base_of_tensor(value):
    try:
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    except Exception:  # before 2.0; a tensor without a storage of its own
        return id(value), 0


def _mark(sizes):
    """The mark that keeps most: a graph, then a model."""
    marks = [mark for _, mark in sizes]
    if _GRAPH in marks:
        return _GRAPH
    return _OPAQUE if _OPAQUE in marks else max(marks, default=0)


def _frame_bytes(value):
    """The bytes of a pandas frame, read without its own properties."""
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
    # Before 3.13, f_locals of a function would keep everything in it alive and change the result of
    # the program's own locals().
    if sys.version_info >= (3, 13):
        return dict(frame.f_locals)
    names = code.co_varnames
    inner = code.co_cellvars
    if sys.version_info >= (3, 11):  # an argument that is a cell as well has one place, not two
        inner = tuple(name for name in inner if name not in names)
    names = names + inner + code.co_freevars
    values = fast_locals(frame, len(names))
    return {name: _contents(one) if type(one) is _Cell else one for name, one in zip(names, values)}
