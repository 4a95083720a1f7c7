"""What keeps the tensors when a GPU is full: a container of the program that holds many.

Looks only after an exception that nobody caught, for two seconds at most, and calls nothing of the
program's own.
"""

import gc
import linecache
import re
import sys
import time
import types

from _holdfast_agent import note
from hooks.numbers import NOTE_KEPT_TENSORS
from hooks.own_code import attributes, is_own

_LEAST = 16  # fewer are a model's parts, not a leak
_SECONDS = 2.0
_MOST_LOOKED_AT = 1_000_000
_CONTAINERS = (list, dict, set, tuple)


def note_largest(tensor_type, traceback, wanted):
    """Notes the container with the most graphs, then the most tensors that `wanted` accepts."""

    # Exactly this type: a model's parameters are of another, and a subclass of the program may run
    # its own code behind every attribute.
    def is_tensor(thing):
        return type(thing) is tensor_type and wanted(thing)

    best, most = None, (0, 0)
    end = time.monotonic() + _SECONDS
    for container in gc.get_objects():
        if time.monotonic() > end:
            break
        if type(container) not in (list, dict, set) and not _is_deque(container):
            continue
        if not _LEAST <= len(container) <= _MOST_LOOKED_AT:
            continue
        tensors = _tensors_in(container, is_tensor)
        # Batches that were moved to the GPU in advance are many, but have no graphs.
        size = sum(tensor.grad_fn is not None for tensor in tensors), len(tensors)
        if len(tensors) >= _LEAST and size > most:
            place = _name_of(container, traceback)
            if place:
                best, most = place, size
    if best is None:
        return
    name, file, pattern = best
    line = _only_line(file, pattern)
    note(NOTE_KEPT_TENSORS, f"{name}\n{file}\n{line or ''}", most[1], most[0])


def _is_deque(thing):
    return type(thing).__name__ == "deque" and type(thing).__module__ == "collections"


def _tensors_in(container, is_tensor):
    """One tensor per element: the element itself, or the first in a pair, row or dict."""
    values = container.values() if type(container) is dict else container
    try:
        # The last elements are enough: a leak is still adding some.
        ends = list(container)[-4:] if type(container) is not dict else list(values)[-4:]
        if not any(_first(value, is_tensor) is not None for value in ends):
            return []
        found = [_first(value, is_tensor) for value in list(values)]
    except RuntimeError:  # another thread has changed it
        return []
    return [tensor for tensor in found if tensor is not None]


def _first(value, is_tensor):
    if is_tensor(value):
        return value
    if type(value) in _CONTAINERS and len(value) <= 8:
        parts = value.values() if type(value) is dict else value
        return next((part for part in parts if is_tensor(part)), None)
    return None


def _name_of(container, traceback):
    """(name, file, pattern of its uses): of a failed frame, its objects, or a module."""
    while traceback is not None:
        frame = traceback.tb_frame
        file = frame.f_code.co_filename
        if is_own(file):
            for name, value in list(frame.f_locals.items()):
                if value is container:
                    return name, file, rf"(?<![\w.]){re.escape(name)}"
                # An attribute of an object at hand, such as self.losses.
                if issubclass(type(value), types.ModuleType):
                    continue
                for inner, kept in list(attributes(value).items()):
                    if kept is container:
                        return f"{name}.{inner}", file, rf"\.{re.escape(inner)}"
        traceback = traceback.tb_next
    for module in list(sys.modules.values()):
        names = attributes(module)
        file = names.get("__file__")
        if type(file) is not str or not is_own(file):
            continue
        for name, value in list(names.items()):
            if value is container:
                return name, file, rf"\b{re.escape(name)}"
    return None


def _only_line(file, pattern):
    """The line that puts something into it; nothing if there are several."""
    puts = re.compile(pattern + r"\s*(\.(append|extend|add|insert)\(|\+=|\[[^\]]*\]\s*=(?!=))")
    lines = [n for n, text in enumerate(linecache.getlines(file), 1) if puts.search(text)]
    return lines[0] if len(lines) == 1 else None
