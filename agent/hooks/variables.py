"""The largest variables by bytes: a walk from names down to what they hold, in two passes.

The first pass weighs every name roughly, the second the largest ones with care. It runs none of the
program's code (see opaque.py), keeps no reference, and both passes are limited in time.
"""

from _holdfast_agent import clock
from hooks.kinds import title_of
from hooks.opaque import Shapes, take
from hooks.quick_sizes import QuickSizes
from hooks.weights import Scales, behind, columns, is_frame

_QUICK_NANOSECONDS = 30_000_000
_NANOSECONDS = 30_000_000
_LARGEST = 24  # names that are weighed with care
_SOME = 4096  # up to this many items, all are looked at;
_FEW = 512  # of more items, this many
_ENOUGH = 30_000  # after this many items in all, look at fewer:
_FEWER = 16
_ENTRY = 200  # assumed bytes of an entry that is not looked at
_LEAST = 64 << 10  # bytes; anything smaller is not listed
_DEEPEST = 24
_DOMINATES = 0.6  # of the whole: then it is the part that is named


class Variable:
    """A name and what it holds; `path` is the part of it that holds most."""

    __slots__ = (
        "about",
        "also",
        "bytes",
        "device",
        "items",
        "kind",
        "name",
        "owner",
        "path",
        "text",
    )

    def __init__(self, name, part, owner):
        self.name = name
        self.also = []  # other names of the same
        self.owner = owner  # the function whose local variable it is, or ""
        self.bytes = part.bytes
        self.path = name + part.path
        self.kind = part.kind
        self.text = part.text
        self.items = part.items
        self.device = part.device
        self.about = part.about


def largest(spaces, most=12):
    """Of [(names, owner, hidden)], the largest variables; hidden: names that are no variables."""
    found = _candidates(spaces)
    walk = _Walk(clock() + _NANOSECONDS)
    result = {}
    # Memory with a name of its own counts for that name, not for a list that holds it, too: first
    # the owner of the memory, then the smaller value, which probably lies in the larger one.
    found.sort(key=lambda one: (-walk.ownership(one[2]), one[0]))
    for _, name, value, owner in found:
        if id(value) in result:
            result[id(value)].also.append(name)
        else:
            result[id(value)] = Variable(name, walk.part(value, 0), owner)
    large = [one for one in result.values() if one.bytes >= _LEAST]
    large.sort(key=lambda one: one.bytes, reverse=True)
    return large[:most]


def _candidates(spaces):
    """The largest at a quick look: (bytes, name, value, owner)."""
    quick = QuickSizes(clock() + _QUICK_NANOSECONDS)
    found = []
    for names, owner, hidden in spaces:
        for name, value in _items(names):
            if type(name) is str and not name.startswith("__") and name not in hidden:
                size = quick.size(value)
                if size >= _LEAST:
                    found.append((size, name, value, owner))
                    if len(found) > 8 * _LARGEST:
                        _cut(found)
    _cut(found)
    return found


def _cut(found):
    found.sort(key=lambda one: one[0], reverse=True)
    del found[_LARGEST:]


def _items(names):
    """Without a copy of all names, because memory may have run out."""
    try:
        yield from dict.items(names)
    except RuntimeError:  # another thread has added one
        return


class _Part:
    __slots__ = ("about", "bytes", "device", "items", "kind", "path", "text")

    def __init__(self, size, kind, text="", items=None):
        self.bytes = size
        self.kind = kind
        self.text = text
        self.items = items
        self.path = ""
        self.device = ""
        self.about = False


class _Walk:
    def __init__(self, end):
        self.end = end
        self.met = set()
        self._some, self._few = _SOME, _FEW
        self.scales = Scales()
        self.shapes = Shapes()

    def late(self):
        return clock() > self.end

    def ownership(self, value):
        """2: it has its own memory; 1: it is a view of another's; 0: it holds others."""
        if is_frame(type(value), "DataFrame"):
            return 2
        weight = self.scales.weigh(value)
        return 0 if weight is None else 1 + (weight.key in (None, id(value)))

    def part(self, value, depth):
        """How much it holds that is not counted yet."""
        weight = self.scales.weigh(value)
        if weight is not None:
            key = weight.key if weight.key is not None else id(value)
            part = _Part(0 if key in self.met else weight.bytes, title_of(type(value)), weight.text)
            part.device = weight.device
            if weight.text:
                self.met.add(key)
            return part
        kind = type(value)
        family = self.shapes.family(kind)
        if id(value) in self.met or family == "code":
            return _Part(0, title_of(kind))
        self.met.add(id(value))
        if len(self.met) > _ENOUGH:
            self._some = self._few = _FEWER
        if depth > _DEEPEST or (depth > 2 and self.late()):
            part = _Part(64, title_of(kind))
            part.about = True
            return part
        if family == "mapping":
            return self._mapping(value, kind, depth)
        if family == "sequence":
            return self._sequence(value, kind, depth)
        if family == "set":
            return self._others(value, kind, depth)
        if is_frame(kind):
            return self._frame(value, kind, depth)
        return self._instance(value, kind, depth)

    def _mapping(self, value, kind, depth):
        count = dict.__len__(value)
        if count <= self._some:
            pairs = take(dict.items(value), count)
        else:
            half = self._few // 2
            pairs = take(dict.items(value), half) + take(reversed(dict.items(value)), half)
        named = [(_key(key), held) for key, held in pairs]
        part = self._whole(kind, dict.__sizeof__(value), named, count, depth)
        if pairs:
            keys = sum(self.part(key, depth + 1).bytes for key, _ in pairs[:64])
            part.bytes += keys * count // min(len(pairs), 64)
        return part

    def _sequence(self, value, kind, depth):
        base = list if issubclass(kind, list) else tuple
        count = base.__len__(value)
        step = 1 if count <= self._some else count // self._few
        named = []
        for at in range(0, count, step):
            try:
                named.append((at, base.__getitem__(value, at)))
            except IndexError:  # another thread shortens it
                break
        return self._whole(kind, base.__sizeof__(value), named, count, depth)

    def _others(self, value, kind, depth):
        base = set if issubclass(kind, set) else frozenset if issubclass(kind, frozenset) else kind
        count = base.__len__(value)
        looked = count if count <= self._some else self._few
        named = [(None, held) for held in take(base.__iter__(value), looked)]
        return self._whole(kind, base.__sizeof__(value), named, count, depth)

    def _instance(self, value, kind, depth):
        inner = behind(value)
        if inner is not None:
            return self.part(inner, depth + 1)
        parts, count = self.shapes.parts(value, self._some)
        if count and not parts:  # a cache that is too large to look into
            return self._unseen(kind, count)
        named = [("." + name, held) for name, held in parts if type(name) is str]
        return self._whole(kind, 48 + 64 * bool(count), named, count, depth, items=False)

    def _unseen(self, kind, count):
        part = _Part(_ENTRY * count, title_of(kind), f"{title_of(kind)}, {count:,} items", count)
        part.about = True
        return part

    def _frame(self, value, kind, depth):
        arrays, shape = columns(value)
        size = 0
        for array in arrays:
            size += self.part(array, depth + 1).bytes
        return _Part(size, title_of(kind), f"{title_of(kind)}, {shape}")

    def _whole(self, kind, own, named, count, depth, items=True):
        """The estimate for a container or an instance, from the items that were looked at."""
        title = title_of(kind)
        whole = _Part(0, title, title, count if items else None)
        best = None
        fresh = 0
        kinds = {}
        before = None
        for at, held in named:
            if held is before:  # [0.0] * 1000
                continue
            before = held
            fresh += id(held) not in self.met
            inner = self.part(held, depth + 1)
            if inner.device:
                whole.device = inner.device
            whole.bytes += inner.bytes
            whole.about = whole.about or inner.about
            kinds[inner.kind] = kinds.get(inner.kind, 0) + inner.bytes
            if best is None or inner.bytes > best[1].bytes:
                best = (at, inner)
        if named and count > len(named):
            whole.about = True
            # Many references to the same few items: there is no more than was seen.
            if fresh >= 0.9 * len(named):
                whole.bytes = whole.bytes * count // len(named)
        elif _dominates(best, whole.bytes + own):
            self._point_to(whole, *best)
        if items and not whole.path:
            most = max(kinds, key=kinds.get) if kinds else ""
            whole.text = f"{title}, {count:,} items" + (f" of {most}" if most else "")
        whole.bytes += own
        return whole

    def _point_to(self, whole, at, inner):
        whole.path = _as_written((at if type(at) is str else f"[{at}]") + inner.path)
        whole.kind, whole.text, whole.items = inner.kind, inner.text, inner.items


def _dominates(best, whole):
    if best is None or best[0] is None:  # an element of a set has no name
        return False
    return best[1].bytes > max(_LEAST, _DOMINATES * whole)


def _key(key):
    if type(key) is str and len(key) < 32:
        return f'["{key}"]'
    return f"[{key}]" if type(key) is int else "[...]"


def _as_written(path):
    """torch's modules keep `net.weight` in another dictionary."""
    for folder in ("._parameters", "._buffers", "._modules"):
        if path.startswith(folder + '["'):
            name, _, rest = path[len(folder) + 2 :].partition('"]')
            return f".{name}{rest}"
    return path
