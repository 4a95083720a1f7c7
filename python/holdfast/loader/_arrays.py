"""Batches as arrays: views of a slot, which is returned when the last view is deleted."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

import numpy as np

from holdfast.loader._library import BatchFacts, Core

BFLOAT16 = "bf16"  # NumPy has none: its bits are read as uint16


class Slot:
    """Keeps one slot in use: every view of the slot refers to this object."""

    def __init__(self, core: Core, facts: BatchFacts):
        self._core = core
        self.number = facts.slot
        self.data = facts.data or 0
        self.rows = facts.rows
        self._samples = facts.samples

    def samples(self) -> list[int]:
        """The samples of its rows."""
        found: list[int] = self._samples[: self.rows]
        return found

    def __del__(self) -> None:
        self._core.give_back(self.number)


class _Window:
    """The source of an array for NumPy: the array keeps this object, and this keeps the slot."""

    def __init__(self, slot: Slot, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]):
        self._slot = slot
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (slot.data + offset, False),
        }


def view(slot: Slot, offset: int, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """Rows of a slot as an array, without a copy."""
    kind = np.dtype("<u2" if dtype == BFLOAT16 else dtype)
    if 0 in shape:
        return np.empty(shape, kind)
    return np.asarray(_Window(slot, offset, shape, kind))


def wants_torch(as_: str | None) -> bool:
    """Chosen by what the program has imported, unless it named one."""
    if as_ is None:
        return "torch" in sys.modules
    if as_ not in ("torch", "numpy"):
        from holdfast.loader._library import LoaderError

        raise LoaderError('as_ is "torch" or "numpy"')
    return as_ == "torch"


def tensor(array: Any, dtype: str = "") -> Any:
    """The same memory as a torch tensor; an array of a type that torch lacks stays an array."""
    import torch

    if not isinstance(array, np.ndarray):
        return array
    if not array.dtype.isnative or not array.size:
        array = np.array(array, array.dtype.newbyteorder("="))
    try:
        made = torch.from_numpy(array)
    except TypeError:
        return array
    return made.view(torch.bfloat16) if dtype == BFLOAT16 else made


def extents(slot: Slot) -> list[tuple[int, int]]:
    """Where each sample of a ragged batch lies in its slot."""
    table = (ctypes.c_uint64 * (2 * slot.rows)).from_address(slot.data)
    return list(zip(table[0::2], table[1::2]))


def piece(slot: Slot, offset: int, length: int) -> bytes:
    """A copy of some bytes of a slot."""
    return ctypes.string_at(slot.data + offset, length)


def picture(slot: Slot, offset: int, label: str) -> Any:
    """An image in its own size, which follows its head; the head has the label."""
    height, width, channels, _ = (ctypes.c_uint32 * 4).from_address(slot.data + offset)
    image = view(slot, offset + 32, (height, width, channels), "|u1")
    return (image, view(slot, offset + 16, (1,), label)[0]) if label else image


def fork_guard(pid: int) -> None:
    """The arena is not in a forked child."""
    if os.getpid() != pid:
        raise RuntimeError(
            "this Loader belongs to the process that made it; make another one in this process"
        )
