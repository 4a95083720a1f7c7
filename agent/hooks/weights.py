"""How many bytes a value holds by itself: arrays, tensors, columns, and Python's own types.

By functions of those very types, written in C, and none that a subclass may have replaced.
"""

import sys

from hooks.kinds import module_of, title_of
from hooks.own_code import attributes

_FIXED = 32  # bytes, of a number
_HEADER = 112  # of an array beside its values


class Weight:
    """Bytes here and on a device; two values with the same `key` share their memory."""

    __slots__ = ("bytes", "device", "key", "text")

    def __init__(self, size, text, key=None, device=""):
        self.bytes = size
        self.text = text
        self.key = key
        self.device = device


class Scales:
    """One scale per known type; made anew for each look, because libraries come and go."""

    def __init__(self):
        self.sizes = {}  # id of a type -> a quick function that returns only the bytes
        self._found = {}  # id of a type -> a function that weighs, or None
        self._classes = []  # (class, function) for subclasses
        for kind in (float, complex, range, slice):
            self._found[id(kind)] = _number
            self.sizes[id(kind)] = _fixed
        for kind in (int, bool, type(None)):
            self._found[id(kind)] = _integer
            self.sizes[id(kind)] = _fixed
        for kind in (str, bytes, bytearray):
            self._both(kind, _text(kind))
            self.sizes[id(kind)] = kind.__sizeof__
        self._both(memoryview, _memoryview)
        self._of("numpy", "ndarray", _array, subclasses=True)
        self._of("array", "array", _machine_values)
        self._of("mmap", "mmap", _mapping)
        self._of("_io", "BytesIO", _file_in_memory)
        for module, name in (("torch", "Tensor"), ("torch.nn.parameter", "Parameter")):
            self._of(module, name, _tensor)
        for name in ("Table", "RecordBatch", "ChunkedArray", "Buffer"):
            self._of("pyarrow.lib", name, _arrow)

    def weigh(self, value):
        """None: the value is of no known type."""
        scale = self._scale(type(value))
        return None if scale is None else scale(value)

    def size_of(self, kind):
        """A function that returns the bytes of such values; None if the type is unknown."""
        number = id(kind)
        if number not in self.sizes:
            scale = self._scale(kind)
            quick = _array_size if scale is _array else None
            self.sizes[number] = quick or (scale and (lambda value: scale(value).bytes))
        return self.sizes[number]

    def _scale(self, kind):
        number = id(kind)
        if number not in self._found:
            self._found[number] = self._inherited(kind)
        return self._found[number]

    def _inherited(self, kind):
        for known, scale in self._classes:
            if issubclass(kind, known):
                return scale
        return None

    def _both(self, kind, scale):
        self._found[id(kind)] = scale
        self._classes.append((kind, scale))

    def _of(self, module, name, scale, subclasses=False):
        kind = attributes(sys.modules.get(module)).get(name)
        if kind is None or not issubclass(type(kind), type):
            return
        self._found[id(kind)] = scale
        if subclasses:
            self._classes.append((kind, scale))


def _fixed(value):
    return _FIXED


def _number(value):
    return Weight(_FIXED, "")


def _integer(value):
    """Small integers, None, True and False exist once, so they weigh nothing."""
    return Weight(_FIXED if type(value) is int and not -6 < value < 257 else 0, "")


def _text(kind):
    size = kind.__sizeof__

    def weigh(value):
        length = kind.__len__(value)
        return Weight(size(value), f"{title_of(type(value))}, {length:,} long")

    return weigh


def _memoryview(value):
    return Weight(0, f"view of {memoryview.nbytes.__get__(value):,} bytes")


def _shape_text(shape):
    return " x ".join(f"{length:,}" for length in shape) or "scalar"


def _owner(value, plain):
    """The owner of the memory, because a view keeps all of it alive."""
    base = plain.base.__get__
    for _ in range(64):
        below = base(value)
        if below is None or not issubclass(type(below), plain):
            break
        value = below
    return value


def _array_size(value):
    plain = sys.modules["numpy"].ndarray
    held = plain.nbytes.__get__(_owner(value, plain)) + _HEADER
    return 8 * held if plain.dtype.__get__(value).hasobject else held


def _array(value):
    plain = sys.modules["numpy"].ndarray
    size, base = plain.nbytes.__get__, plain.base.__get__
    owner = _owner(value, plain)
    dtype = plain.dtype.__get__(value)
    text = f"{dtype.name} array, {_shape_text(plain.shape.__get__(value))}"
    held = size(owner)
    if title_of(type(base(owner))) == "mmap":
        return Weight(0, text + ", mapped from a file", id(base(owner)))
    if dtype.hasobject and plain.ndim.__get__(value) > 0:
        held += _objects(plain, value)
    if owner is not value and size(value) < held // 2:
        text += f", a view that keeps all of {_shape_text(plain.shape.__get__(owner))}"
    return Weight(held + _HEADER, text, id(owner))


def _objects(plain, value):
    """What the objects of such an array take, estimated from a few of them."""
    count = plain.size.__get__(value)
    if count == 0 or plain.dtype.__get__(value).names:
        return 0
    each = [_small(plain.item(value, at)) for at in range(0, count, max(1, count // 32))]
    return count * sum(each) // len(each)


def _small(value):
    kind = type(value)
    return kind.__sizeof__(value) if kind is str or kind is bytes else _FIXED


def _machine_values(value):
    kind = type(value)
    return Weight(kind.__sizeof__(value), f"array.array, {kind.__len__(value):,} items")


def _file_in_memory(value):
    size = type(value).__sizeof__(value)
    return Weight(size, f"BytesIO, {size:,} bytes")


def _mapping(value):
    try:
        size = type(value).__len__(value)
    except ValueError:  # closed
        size = 0
    return Weight(size, "mmap")


def _tensor(value):
    """A tensor that is a view keeps the whole storage alive."""
    torch = sys.modules["torch"]
    # Without the modes that the program may have pushed: they would be called.
    with torch._C.DisableTorchFunction():
        name = str(value.dtype).rpartition(".")[2]
        text = f"{name} tensor, {_shape_text(tuple(value.shape))}"
        device = "" if value.device.type == "cpu" else str(value.device)
        try:
            storage = value.untyped_storage()
            size, key = storage.nbytes(), storage._cdata
        except (RuntimeError, NotImplementedError, AttributeError):  # sparse; before torch 2
            size, key = value.nelement() * value.element_size(), None
        if value.grad_fn is not None:
            text += ", with its graph"
        elif value.is_leaf and value.grad is not None:
            size += value.grad.nelement() * value.grad.element_size()
    return Weight(size, text + (f", on {device}" if device else ""), key, device)


def _arrow(value):
    kind = type(value)
    size = kind.size if title_of(kind) == "Buffer" else kind.nbytes
    return Weight(size.__get__(value), f"Arrow {title_of(kind)}")


def is_frame(kind, *titles):
    """A DataFrame or Series of pandas, or a class made from one."""
    pandas = attributes(sys.modules.get("pandas"))
    for name in titles or ("DataFrame", "Series"):
        known = pandas.get(name)
        if known is not None and issubclass(type(known), type) and issubclass(kind, known):
            return True
    return False


def _is_pandas(value):
    return module_of(type(value)).partition(".")[0] == "pandas"


def columns(value):
    """The arrays behind a frame, and how many rows and columns it has."""
    manager = attributes(value).get("_mgr")
    if not _is_pandas(manager):
        return [], ""
    arrays = [block.values for block in manager.blocks]
    axes = [axis for axis in manager.axes if _is_pandas(axis)]
    return arrays, _shape_text([len(axis) for axis in reversed(axes)])


def behind(value):
    """The array behind a column that is no array itself; None if none is known."""
    if _is_pandas(value):
        for name in ("_ndarray", "_pa_array", "_data"):
            found = getattr(value, name, None)
            if found is not None:
                return found
    return None
