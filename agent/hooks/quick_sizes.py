"""Roughly how many bytes a value holds, from a few items and not deep. See opaque.py."""

from _holdfast_agent import clock
from hooks.opaque import Shapes, take
from hooks.weights import Scales, behind, columns, is_frame

_DEEPEST = 3
_ALL = 32  # up to this many items, all are looked at
_FEW = 4  # of more items, or when time is short, only this many
_PER_ITEM = 100  # bytes that an entry of a dictionary takes


class QuickSizes:
    """Shared memory counts for everybody who refers to it."""

    def __init__(self, end):
        self._end = end
        self._all = _ALL
        self._looked = 0
        self._scales = Scales()
        self._shapes = Shapes()

    def size(self, value):
        self._looked += 1
        if self._looked % 64 == 0 and clock() > self._end:
            self._all = 1
        return self._part(value, _DEEPEST)

    def _part(self, value, depth):
        kind = type(value)
        size = self._scales.size_of(kind)
        if size is not None:
            return size(value)
        family = self._shapes.family(kind)
        if family == "code" or depth == 0:
            return 0
        if family == "sequence":
            base = list if issubclass(kind, list) else tuple
            count = base.__len__(value)
            step = 1 if count <= self._all else max(1, count // min(self._all, _FEW))
            items = base.__getitem__(value, slice(0, count, step))
            return base.__sizeof__(value) + self._sum(items, count, depth)
        if family == "mapping":
            count = dict.__len__(value)
            some = [item for pair in take(dict.items(value), self._some(count)) for item in pair]
            return _PER_ITEM * count + self._sum(some, 2 * count, depth)
        if family == "set":
            base = set if issubclass(kind, set) else frozenset
            base = base if issubclass(kind, base) else kind
            count = base.__len__(value)
            some = take(base.__iter__(value), self._some(count))
            return base.__sizeof__(value) + self._sum(some, count, depth)
        if is_frame(kind):
            return sum(self._part(array, depth) for array in columns(value)[0])
        inner = behind(value)
        if inner is not None:
            return self._part(inner, depth - 1)
        parts, count = self._shapes.parts(value, self._all)
        if count and not parts:
            return _PER_ITEM * count
        return self._sum([held for _, held in parts], count, depth)

    def _some(self, count):
        return count if count <= self._all else min(self._all, _FEW)

    def _sum(self, some, count, depth):
        if not some:
            return 0
        total = 0
        for held in some:
            size = self._scales.sizes.get(id(type(held)))
            total += self._part(held, depth - 1) if size is None else size(held)
        return total * count // len(some)
