"""The shared library and its calls, by ctypes."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, Optional

from holdfast._command import HoldfastError
from holdfast._numbers import FAILED, LOADER_VERSION, WAITING

_NAME = "libholdfast_loader.so"
_TEXT = 4096


class LoaderError(HoldfastError, ValueError):
    """The Loader cannot do what was asked; the text says why and what to do."""


class BudgetHeld(LoaderError):
    """The program itself holds every batch that fits into the budget."""


class SampleError(LoaderError):
    """A sample could not be read or made; the text names it."""


class WorkerDied(LoaderError):
    """A worker process ended unexpectedly."""

    pid: Optional[int] = None
    signal: Optional[int] = None


class Pass(ctypes.Structure):
    """One pass over the data, see HoldfastPass."""

    _fields_ = [
        ("seed", ctypes.c_uint64),
        ("epoch", ctypes.c_uint64),
        ("position", ctypes.c_uint64),
        ("rank", ctypes.c_uint64),
        ("ranks", ctypes.c_uint64),
        ("batch", ctypes.c_uint64),
        ("shuffled", ctypes.c_uint32),
        ("whole_batches", ctypes.c_uint32),
    ]


class BatchFacts(ctypes.Structure):
    """A batch that is ready, see HoldfastBatch."""

    _fields_ = [
        ("slot", ctypes.c_uint64),
        ("rows", ctypes.c_uint64),
        ("position", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("samples", ctypes.POINTER(ctypes.c_uint64)),
    ]


class BlockColumn(ctypes.Structure):
    """A column of a block in the program's memory, see HoldfastColumn."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("stride", ctypes.c_uint64),
        ("row_bytes", ctypes.c_uint64),
        ("offset", ctypes.c_uint64),
    ]


class BlockOrder(ctypes.Structure):
    """Which row of a block comes when, see HoldfastBlock."""

    _fields_ = [
        ("count", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("epoch", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("shuffled", ctypes.c_uint32),
    ]


def _places() -> list[Path]:
    named = os.environ.get("HOLDFAST_LOADER_LIBRARY")
    if named:
        return [Path(named)]
    places = [Path(sys.prefix) / "libexec/holdfast" / _NAME]
    from holdfast._command import find

    try:
        program = Path(find()).resolve()
    except HoldfastError:
        return places
    return [
        program.parent.parent / "libexec/holdfast" / _NAME,
        program.parent.parent / "loader" / _NAME,  # a build folder
        *places,
    ]


_loaded: Optional[Any] = None


def library() -> Any:
    """The library, opened once."""
    global _loaded
    if _loaded is not None:
        return _loaded
    found = next((place for place in _places() if place.exists()), None)
    if found is None:
        raise HoldfastError(
            f"{_NAME} was not found; install Holdfast with pip, or set HOLDFAST_LOADER_LIBRARY"
        )
    lib = ctypes.CDLL(str(found))
    if lib.holdfast_loader_version() != LOADER_VERSION:
        raise HoldfastError(f"{found} belongs to another version of Holdfast")
    pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    u64, facts, a_pass = ctypes.c_uint64, ctypes.POINTER(BatchFacts), ctypes.POINTER(Pass)
    numbers = ctypes.POINTER(u64)
    calls: Dict[str, Any] = {
        "open": (pointer, [text, pointer, text, size]),
        "labels": (ctypes.c_int, [pointer, text, u64, pointer, text, size]),
        "reserve": (ctypes.c_int, [pointer, u64]),
        "prepare": (ctypes.c_int, [pointer, text, text, size]),
        "describe": (size, [pointer, text, size]),
        "stats": (size, [pointer, text, size]),
        "name": (size, [pointer, u64, text, size]),
        "start": (None, [pointer, a_pass]),
        "next": (ctypes.c_int, [pointer, ctypes.c_uint32, facts, text, size]),
        "take": (ctypes.c_int, [pointer, facts]),
        "give_back": (None, [pointer, u64]),
        "share": (u64, [pointer, a_pass, u64, numbers, numbers]),
        "span": (u64, [pointer, a_pass, u64, numbers, numbers]),
        "gather": (
            None,
            [ctypes.POINTER(BlockColumn), u64, ctypes.POINTER(BlockOrder), u64, u64, pointer, u64],
        ),
        "steps": (u64, [pointer, a_pass]),
        "close": (None, [pointer]),
    }
    for name, (result, arguments) in calls.items():
        call = getattr(lib, f"holdfast_loader_{name}")
        call.restype, call.argtypes = result, arguments
    _loaded = lib
    return lib


class Core:
    """A loader of the library: opened, given labels, prepared, closed."""

    def __init__(self, options: dict[str, Any], inside: Core | None = None):
        self._lib = library()
        self._pid = os.getpid()
        self.inside = inside  # the loader whose memory this one uses
        self.handle: Any = None
        self._error = error = ctypes.create_string_buffer(_TEXT)
        words = json.dumps(options).encode("utf-8", "surrogateescape")
        handle = self._lib.holdfast_loader_open(
            words, None if inside is None else inside.handle, error, _TEXT
        )
        if not handle:
            raise LoaderError(_words(error))
        self.handle = ctypes.c_void_p(handle)
        self.closed = False

    def labels(self, rows: Any) -> None:
        """One row of a contiguous array for each sample."""
        error = ctypes.create_string_buffer(_TEXT)
        each = rows.nbytes // max(1, len(rows))
        if self._lib.holdfast_loader_labels(
            self.handle, rows.dtype.str.encode(), each, rows.ctypes.data, error, _TEXT
        ):
            raise LoaderError(_words(error))

    def reserve(self, size: int) -> bool:
        """Takes bytes of the budget for something outside the arena."""
        return not self._lib.holdfast_loader_reserve(self.handle, size)

    def prepare(self, **options: Any) -> dict[str, Any]:
        """Divides the budget and starts the workers; returns what the batches look like."""
        error = ctypes.create_string_buffer(_TEXT)
        if self._lib.holdfast_loader_prepare(
            self.handle, json.dumps(options).encode(), error, _TEXT
        ):
            raise LoaderError(_words(error))
        return self.describe()

    def describe(self) -> dict[str, Any]:
        """Count, fields, slots, fingerprint."""
        return self._json(self._lib.holdfast_loader_describe)

    def stats(self) -> dict[str, Any]:
        """What it holds and what it waited for."""
        return self._json(self._lib.holdfast_loader_stats)

    def _json(self, call: Any) -> dict[str, Any]:
        size = call(self.handle, None, 0) + 4096
        text = ctypes.create_string_buffer(size)
        call(self.handle, text, size)
        found: dict[str, Any] = json.loads(text.value.decode("utf-8", "replace"))
        return found

    def name(self, sample: int) -> str:
        """A sample's name, for messages."""
        text = ctypes.create_string_buffer(_TEXT)
        self._lib.holdfast_loader_name(self.handle, sample, text, _TEXT)
        return os.fsdecode(text.value)

    def start(self, a_pass: Pass) -> None:
        """Begins a pass."""
        self._lib.holdfast_loader_start(self.handle, ctypes.byref(a_pass))

    def next(self, facts: BatchFacts) -> int:
        """Waits for the next batch; an interrupt is seen within a tenth of a second."""
        error = self._error
        while True:
            answer: int = self._lib.holdfast_loader_next(
                self.handle, 100, ctypes.byref(facts), error, _TEXT
            )
            if answer == FAILED:
                raise SampleError(_words(error))
            if answer != WAITING:
                return answer

    def take(self, facts: BatchFacts) -> int:
        """A slot for the program to fill."""
        answer: int = self._lib.holdfast_loader_take(self.handle, ctypes.byref(facts))
        return answer

    def give_back(self, slot: int) -> None:
        """Ends the program's hold on a slot; in a forked child there is nothing to give."""
        if os.getpid() == self._pid:
            self._lib.holdfast_loader_give_back(self.handle, slot)

    def share(self, a_pass: Pass, position: int, batch: int) -> tuple[list[int], int]:
        """The samples of the step at a position, and the position of the next step."""
        samples = (ctypes.c_uint64 * batch)()
        after = ctypes.c_uint64()
        count = self._lib.holdfast_loader_share(
            self.handle, ctypes.byref(a_pass), position, samples, ctypes.byref(after)
        )
        return samples[:count], after.value

    def span(self, a_pass: Pass, position: int) -> tuple[int, int, int]:
        """The step at a position if samples have another order: first, how many, next step."""
        first, after = ctypes.c_uint64(), ctypes.c_uint64()
        count = self._lib.holdfast_loader_span(
            self.handle, ctypes.byref(a_pass), position, ctypes.byref(first), ctypes.byref(after)
        )
        return first.value, count, after.value

    def gather(
        self, columns: Any, order: BlockOrder, first: int, rows: int, data: int, row: int
    ) -> None:
        """Copies rows of a block, in its order, into a slot."""
        self._lib.holdfast_loader_gather(
            columns, len(columns), ctypes.byref(order), first, rows, data, row
        )

    def steps(self, a_pass: Pass) -> int:
        """How many batches the pass has."""
        count: int = self._lib.holdfast_loader_steps(self.handle, ctypes.byref(a_pass))
        return count

    def close(self) -> None:
        """Ends the workers; the memory goes with the last batch that the program holds."""
        if not self.closed and os.getpid() == self._pid:
            self.closed = True
            self._lib.holdfast_loader_close(self.handle)


def _words(text: Any) -> str:
    return os.fsdecode(text.value)
