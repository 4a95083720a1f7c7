"""Batches of rows of blocks: of tables in files or in memory, and of arrays."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from holdfast._size import human
from holdfast.loader._arrangement import Arrangement
from holdfast.loader._feeds import own_stats, take
from holdfast.loader._library import (
    BlockColumn,
    BlockOrder,
    Core,
    LoaderError,
    Pass,
    SampleError,
)
from holdfast.loader._source import expanded, is_path, is_paths
from holdfast.loader._streams import table_in
from holdfast.loader._tables import Arrow, Column, Hdf5, Parquet


def blocks_of(source: Any, columns: Any, labels: Any) -> Any:
    """The reader for a source, or None if it is none of these."""
    paths = None
    if is_paths(source):
        paths = [os.fspath(one) for one in source]
    elif is_path(source):
        text = os.fspath(source)
        paths = [text] if Path(text).exists() else expanded(text)
    if paths:
        ending = Path(paths[0]).suffix.lower()
        if ending == ".parquet":
            return Parquet(paths, columns, labels)
        if ending in (".arrow", ".feather"):
            return Arrow(paths, columns, labels)
        return Hdf5(paths, columns, labels)
    if type(source) is np.ndarray or (
        isinstance(source, tuple) and source and all(type(one) is np.ndarray for one in source)
    ):
        return _Arrays(source if isinstance(source, tuple) else (source,))
    return table_in(source, columns, labels)


class _Arrays:
    """Arrays that are already in the program's memory: one block, nothing to read."""

    def __init__(self, arrays: tuple[Any, ...]):
        if any(array.ndim == 0 or len(array) != len(arrays[0]) for array in arrays):
            raise LoaderError("the arrays have different numbers of samples")
        if any(array.dtype.hasobject for array in arrays):
            raise LoaderError("an array of Python objects; convert it to numbers")
        if any(len(array) and not array[0].flags.c_contiguous for array in arrays):
            raise LoaderError(
                "an array whose rows do not lie in one piece (Fortran order, or a slice of "
                "columns); np.ascontiguousarray makes one"
            )
        self.arrays = arrays
        self.columns = [Column(f"{n}", a.shape[1:], a.dtype) for n, a in enumerate(arrays)]
        self.label = None
        self.stacked = self.named = False
        self.blocks = [(0, 0, len(arrays[0]))]
        self.count = len(arrays[0])
        self.fingerprint = ",".join(f"{array.dtype.str}{array.shape}" for array in arrays)

    def name(self, row: int) -> str:
        return f"sample {row}"

    def close(self) -> None:
        """Nothing is open."""


class _Buffers:
    """Room for one block: the arrays that its columns go to."""

    def __init__(self, arrays: list[Any], fields: list[tuple[int, Any, Any]]):
        self.arrays = arrays
        self.columns = (BlockColumn * len(arrays))()
        for column, array, (at, _, _) in zip(self.columns, arrays, fields):
            column.data = array.ctypes.data
            column.stride = array.strides[0]
            column.row_bytes = array.dtype.itemsize * int(np.prod(array.shape[1:]))
            column.offset = at


class BlockFeed:
    """Batches of rows of blocks. A shuffle orders the blocks, and the rows within each."""

    def __init__(self, core: Core, blocks: Any, options: dict[str, Any]):
        if not blocks.count:
            raise LoaderError("the data has no rows")
        self.core = core
        self._blocks = blocks
        self._batch: int = options["batch"]
        self._torch: bool = options["torch"]
        self.count: int | None = blocks.count
        self.fingerprint: str = blocks.fingerprint
        self._seen = 0
        self._arrangement = Arrangement(blocks, self._batch)
        in_memory = isinstance(blocks, _Arrays)
        if in_memory:
            self._buffers = [_Buffers(list(blocks.arrays), self._arrangement.fields)]
        else:
            self._buffers = self._made(options["budget"])
        core.prepare(slot_bytes=self._arrangement.slot_bytes, count=blocks.count)
        # Reads the next block while the program uses this one.
        self._reader = ThreadPoolExecutor(1) if len(self._buffers) > 1 else None
        self._ahead: tuple[int, Future[None] | None] = (-1, None)
        self._order: list[int] = []
        self._starts: np.ndarray[Any, Any] = np.zeros(1, np.int64)
        self._there = 0 if in_memory else -1  # position in the order of the block in its buffers
        self._in_memory = in_memory
        self._pass = Pass()
        self._position = 0

    def name(self, index: int) -> str:
        name: str = self._blocks.name(index)
        return name

    def _made(self, budget: int) -> list[_Buffers]:
        """Memory for one block of the file, or two, reserved before anything is read."""
        blocks = self._blocks
        most = blocks.most_rows
        need = most * self._arrangement.row_bytes
        if not self.core.reserve(need + blocks.beside):
            raise LoaderError(
                f"a single block of the file needs {human(need + blocks.beside)}, "
                f"more than the budget of {human(budget)}; write it with smaller row groups"
            )
        # A second one if half of the rest, and enough batches, stay for the program.
        left = self.core.describe()["left"]
        two = (
            len(blocks.blocks) > 1
            and left // 2 > need
            and left - need > 8 * self._arrangement.slot_bytes
        )
        if two and not self.core.reserve(need):
            two = False
        return [
            _Buffers(
                [np.empty((most, *shape), dtype) for shape, dtype in self._arrangement.wanted],
                self._arrangement.fields,
            )
            for _ in range(2 if two else 1)
        ]

    def start(self, a_pass: Pass) -> None:
        self._settle()
        self._pass = a_pass
        self._position = a_pass.position
        rows = [one[2] for one in self._blocks.blocks]
        self._order = list(range(len(rows)))
        if a_pass.shuffled:
            self._order = _permutation(len(rows), a_pass.seed, a_pass.epoch).tolist()
        self._starts = np.cumsum([0, *[rows[block] for block in self._order]])
        if not self._in_memory:
            self._there = -1

    def next(self) -> tuple[Any, int] | None:
        first, count, after = self.core.span(self._pass, self._position)
        if not count:
            return None
        slot = take(self.core, count)
        done = 0
        while done < count:
            at = first + done
            place = int(np.searchsorted(self._starts, at, side="right")) - 1
            buffers, order = self._block(place)
            begin = at - int(self._starts[place])
            some = min(count - done, int(self._starts[place + 1]) - at)
            self.core.gather(buffers.columns, order, begin, some, slot.data, done)
            done += some
        self._position = after
        self._seen += count
        arrays = self._arrangement.arrays(slot, count)
        return self._arrangement.form(arrays, self._torch), after

    def _block(self, place: int) -> tuple[_Buffers, BlockOrder]:
        """A block's buffers, filled, and the order of its rows in this pass."""
        block = self._order[place]
        if self._there != place:
            self._settle(place)
        if self._there != place:
            self._there = -1
            self._read(block, self._buffers[0])
            self._there = place
        if self._reader is not None and self._ahead[1] is None and place + 1 < len(self._order):
            reading = self._reader.submit(self._read, self._order[place + 1], self._buffers[1])
            self._ahead = (place + 1, reading)
        order = BlockOrder(
            self._blocks.blocks[block][2],
            self._pass.seed,
            self._pass.epoch,
            block + 1,
            self._pass.shuffled,
        )
        return self._buffers[0], order

    def _settle(self, place: int = -1) -> None:
        """Waits until the current read ends."""
        coming, reading = self._ahead
        if reading is None:
            return
        error = reading.exception()
        self._ahead = (-1, None)
        if coming == place:
            if error is not None:
                raise error
            self._buffers.reverse()
            self._there = place

    def _read(self, block: int, buffers: _Buffers) -> None:
        try:
            for name, array in self._blocks.read(block):
                self._arrangement.put(buffers.arrays, name, array)
                del array
        except LoaderError:
            raise
        except Exception as error:
            number, part, _ = self._blocks.blocks[block]
            name = self._blocks.paths[number] if self._blocks.paths else "the table"
            raise SampleError(f"{name}: block {part}: {error}") from error

    def stats(self) -> dict[str, Any]:
        return own_stats(self.core, self._seen, [])

    def close(self) -> None:
        self._settle()
        if self._reader is not None:
            self._reader.shutdown()
        self._blocks.close()
        self.core.close()


def _permutation(count: int, seed: int, epoch: int) -> np.ndarray[Any, Any]:
    """The order of the blocks: few enough for a list, and the same on every machine."""
    random = np.random.Generator(np.random.PCG64([seed, epoch]))
    # By sorting random keys, because the result of `permutation` may change with NumPy's version.
    return np.argsort(random.integers(0, 1 << 62, count, dtype=np.int64), kind="stable")
