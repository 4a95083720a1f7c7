"""How much memory an object holds: arrays by their bytes, everything else as Python counts it."""

import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

_MOST = 200_000  # objects looked at
_SAMPLE = 1_000  # of a long list or dictionary; the rest is assumed to be like them
_SKIPPED = (type, types.FunctionType, types.ModuleType, types.MethodType, types.BuiltinMethodType)


@dataclass
class HeldMemory:
    """In bytes."""

    arrays: int = 0
    objects: int = 0  # a forked worker that only reads them copies them: counting references writes


def held_by(root: Any) -> HeldMemory:
    """What an object and all that it refers to hold in this process. Mapped files do not count."""
    held = HeldMemory()
    seen: set[int] = set()
    waiting: list[tuple[Any, float]] = [(root, 1.0)]
    while waiting and len(seen) < _MOST:
        item, weight = waiting.pop()
        if id(item) in seen or item is None or isinstance(item, _SKIPPED):
            continue
        seen.add(id(item))
        if type(item).__module__.split(".")[0] in ("pyarrow", "mmap"):
            continue
        array = _array_bytes(item, seen)
        if array is not None:
            held.arrays += int(array * weight)
            continue
        held.objects += int(sys.getsizeof(item) * weight)
        waiting += _parts(item, weight)
    return held


def _array_bytes(item: Any, seen: set[int]) -> int | None:
    if isinstance(item, torch.Tensor):
        if item.device.type != "cpu" or item.layout is not torch.strided:
            return 0
        storage = item.untyped_storage()
        if storage._cdata in seen:
            return 0
        seen.add(storage._cdata)
        return int(storage.nbytes())
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(item, numpy.ndarray):
        if isinstance(item, numpy.memmap):
            return 0
        if isinstance(item.base, numpy.ndarray):  # a view: the owner of the memory counts
            root = item.base
            if id(root) in seen:
                return 0
            seen.add(id(root))
            return _array_bytes(root, seen)
        if item.dtype.hasobject:
            return None
        return int(item.nbytes)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(item, (pandas.DataFrame, pandas.Series)):
        usage = item.memory_usage(index=True, deep=True)
        return int(usage.sum() if hasattr(usage, "sum") else usage)
    return None


def _is_object_array(item: Any) -> bool:
    return type(item).__module__ == "numpy" and getattr(item, "ndim", 0) == 1


def _parts(item: Any, weight: float) -> list[tuple[Any, float]]:
    if isinstance(item, (str, bytes, bytearray, int, float, bool)):
        return []
    if isinstance(item, Mapping):
        parts = [part for pair in item.items() for part in pair]
    elif isinstance(item, (list, tuple, set, frozenset)) or _is_object_array(item):
        parts = list(item)
    else:
        own = getattr(item, "__dict__", None)
        parts = list(own.values()) if isinstance(own, dict) else []
        slots = getattr(type(item), "__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            parts.append(getattr(item, name, None))
    if len(parts) > 2 * _SAMPLE:
        weight *= len(parts) / _SAMPLE
        parts = parts[:: max(1, len(parts) // _SAMPLE)]
    return [(part, weight) for part in parts]
