"""Formats that the user's own libraries read: Parquet and Arrow by pyarrow, HDF5 by h5py.

Their memory lies outside the arena, so what one block takes is reserved from the budget first, as
the file's own metadata tell it; a block is a row group, a record batch, or some chunks.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator

import numpy as np

from holdfast._size import human
from holdfast.loader._arrays import tensor, view
from holdfast.loader._feeds import own_stats, take
from holdfast.loader._library import Core, LoaderError, Pass
from holdfast.loader._source import is_path, is_paths

_SLAB = 4 << 20
_ARROW = 16 << 20  # what pyarrow keeps for itself from its first read on, as measured


def blocks_of(source: Any, columns: Any, labels: Any) -> Any:
    """The reader for a source, or None where it is none of these."""
    paths = None
    if is_paths(source):
        paths = [os.fspath(one) for one in source]
    elif is_path(source):
        from holdfast.loader._source import expanded

        text = os.fspath(source)
        paths = [text] if Path(text).exists() else expanded(text)
    if paths:
        ending = Path(paths[0]).suffix.lower()
        if ending == ".parquet":
            return _Parquet(paths, columns, labels)
        if ending in (".arrow", ".feather"):
            return _Arrow(paths, columns, labels)
        return _Hdf5(paths, columns, labels)
    if type(source) is np.ndarray or (
        isinstance(source, tuple) and source and all(type(one) is np.ndarray for one in source)
    ):
        return _Arrays(source if isinstance(source, tuple) else (source,))
    return None


class _Table:
    """Columns of numbers; with ``labels`` the rows are (columns as one array, label)."""

    def __init__(self, paths: list[str], columns: Any, labels: Any):
        self.paths = paths
        self.columns = None if columns is None else [str(one) for one in columns]
        self.label = None if labels is None else str(labels)
        if self.columns is not None and self.label is not None and self.label not in self.columns:
            self.columns = [*self.columns, self.label]
        self.blocks: list[tuple[int, int, int]] = []  # file, number in it, rows
        self.beside = 1 << 20  # what the reader holds besides the block itself
        self.stacked = True  # with a label, the other columns are one array

    @property
    def count(self) -> int:
        return sum(rows for _, _, rows in self.blocks)

    @property
    def fingerprint(self) -> str:
        names = ",".join(f"{Path(p).name}:{Path(p).stat().st_size}" for p in self.paths)
        import hashlib

        return hashlib.sha256(f"{names}|{self.columns}|{self.label}".encode()).hexdigest()[:16]

    def name(self, row: int) -> str:
        return f"row {row} of {self.paths[0]}"

    def _array(self, name: str, column: Any) -> np.ndarray[Any, Any]:
        import pyarrow as pa

        kind = column.type
        if pa.types.is_fixed_size_list(kind):
            flat = self._array(name, column.flatten())
            return flat.reshape(len(column), kind.list_size)
        if not (
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        ):
            raise LoaderError(
                f"{self.paths[0]}: column {name!r} holds {kind}, no numbers; name the columns to "
                "read: columns=[...]"
            )
        array: np.ndarray[Any, Any] = column.to_numpy(zero_copy_only=False)
        return array


class _Parquet(_Table):
    def __init__(self, paths: list[str], columns: Any, labels: Any):
        super().__init__(paths, columns, labels)
        pq = _imported("pyarrow.parquet", "pyarrow")
        self.beside += _ARROW
        for number, path in enumerate(paths):
            with pq.ParquetFile(path) as file:
                facts = file.metadata
                for group in range(facts.num_row_groups):
                    row_group = facts.row_group(group)
                    if row_group.num_rows:
                        self.blocks.append((number, group, row_group.num_rows))
                    for column in range(row_group.num_columns):
                        chunk = row_group.column(column)
                        # As it lies in the file, decoded, and as an array.
                        need = chunk.total_compressed_size + 2 * chunk.total_uncompressed_size
                        self.beside = max(self.beside, _ARROW + need)
                if self.columns is None:
                    self.columns = list(file.schema_arrow.names)

    def read(self, block: int) -> Iterator[tuple[str, Any]]:
        """One column after the other: never the whole row group twice."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        number, group, _ = self.blocks[block]
        # Not these two, and a reader takes as much as the whole file.
        with pq.ParquetFile(self.paths[number], pre_buffer=False, buffer_size=64 << 10) as file:
            for name in self.columns or ():
                table = file.read_row_group(group, columns=[name], use_threads=False)
                yield name, self._array(name, table.column(0).combine_chunks())
                del table
        pa.default_memory_pool().release_unused()


class _Arrow(_Table):
    def __init__(self, paths: list[str], columns: Any, labels: Any):
        super().__init__(paths, columns, labels)
        _imported("pyarrow.ipc", "pyarrow")
        self.beside += _ARROW
        for number, path in enumerate(paths):
            with self._open(path) as file:
                for batch in range(file.num_record_batches):
                    found = file.get_batch(batch)
                    if found.num_rows:
                        self.blocks.append((number, batch, found.num_rows))
                        self.beside = max(self.beside, _ARROW + found.nbytes * 2)
                if self.columns is None:
                    self.columns = list(file.schema.names)

    @staticmethod
    def _open(path: str) -> Any:
        import pyarrow as pa
        import pyarrow.ipc as ipc

        return ipc.open_file(pa.OSFile(path, "rb"))

    def read(self, block: int) -> Iterator[tuple[str, Any]]:
        import pyarrow as pa

        number, batch, _ = self.blocks[block]
        with self._open(self.paths[number]) as file:
            found = file.get_batch(batch)
            for name in self.columns or ():
                yield name, self._array(name, found.column(name))
            del found
        pa.default_memory_pool().release_unused()


class _Hdf5(_Table):
    """Datasets of one length; blocks are whole chunks, which are read as a whole anyway."""

    def __init__(self, paths: list[str], columns: Any, labels: Any):
        super().__init__(paths, columns, labels)
        h5py = _imported("h5py", "h5py")
        for number, path in enumerate(paths):
            with h5py.File(path, "r") as file:
                names = self.columns or [n for n in file if isinstance(file[n], h5py.Dataset)]
                if self.label is not None and self.label not in names:
                    names = [*names, self.label]
                if not names:
                    raise LoaderError(f"{path}: no datasets at its top; name them: columns=[...]")
                lengths = {len(file[name]) for name in names}
                if len(lengths) != 1:
                    raise LoaderError(f"{path}: datasets of different lengths {sorted(lengths)}")
                row = max(file[n].dtype.itemsize * int(np.prod(file[n].shape[1:])) for n in names)
                chunk = max([file[n].chunks[0] for n in names if file[n].chunks] or [1])
                rows = max(chunk, _SLAB // max(1, row) // chunk * chunk)
                length = lengths.pop()
                self.columns = names
                for start in range(0, length, rows):
                    self.blocks.append((number, start, min(rows, length - start)))
                self.beside = max(self.beside, min(rows, length) * row + (2 << 20))
        self.stacked = False

    def read(self, block: int) -> Iterator[tuple[str, Any]]:
        import h5py

        number, start, rows = self.blocks[block]
        with h5py.File(self.paths[number], "r", rdcc_nbytes=1 << 20) as file:
            for name in self.columns or ():
                yield name, file[name][start : start + rows]


class _Arrays:
    """Arrays that the program has in memory anyway: one block, nothing to read."""

    def __init__(self, arrays: tuple[Any, ...]):
        if any(array.ndim == 0 or len(array) != len(arrays[0]) for array in arrays):
            raise LoaderError("the arrays have different numbers of samples")
        if any(array.dtype.hasobject for array in arrays):
            raise LoaderError("an array of Python objects; make it numbers")
        self.arrays = arrays
        self.blocks = [(0, 0, len(arrays[0]))]
        self.count = len(arrays[0])
        self.fingerprint = ",".join(f"{array.dtype.str}{array.shape}" for array in arrays)

    def name(self, row: int) -> str:
        return f"sample {row}"


def _imported(module: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise LoaderError(f"reading this needs {package}: pip install {package}") from None


class BlockFeed:
    """Batches of rows of blocks. Shuffled: the blocks, and the rows within each."""

    def __init__(self, core: Core, blocks: Any, options: dict[str, Any]):
        if not blocks.count:
            raise LoaderError("the data have no rows")
        self.core = core
        self._blocks = blocks
        self._batch: int = options["batch"]
        self._torch: bool = options["torch"]
        self.count: int | None = blocks.count
        self.fingerprint: str = blocks.fingerprint
        self._seen = 0
        self._keys: list[str] | None = None
        self._several = False
        self._buffers: list[Any] = []
        # Which array a column goes to, and where in it; None: it is the array.
        self._places: dict[str, tuple[int, int | None]] = {}
        if isinstance(blocks, _Arrays):
            self._buffers = list(blocks.arrays)
            self._several = len(self._buffers) > 1
        else:
            self._make_buffers(options["budget"])
        self._fields = []
        at = 0
        for array in self._buffers:
            self._fields.append((at, array.shape[1:], array.dtype))
            at += -(-array[:1].nbytes * self._batch // 64) * 64
        core.prepare(slot_bytes=max(at, 64), count=blocks.count)
        self._order: list[int] = []
        self._starts: list[int] = []
        self._cached: tuple[int, Any] = (-1, None)
        self._pass = Pass()
        self._position = 0

    def name(self, index: int) -> str:
        name: str = self._blocks.name(index)
        return name

    def _make_buffers(self, budget: int) -> None:
        """One block of memory for one block of the file, reserved before it is there."""
        blocks = self._blocks
        most = max(rows for _, _, rows in blocks.blocks)
        seen = [(name, array.shape[1:], array.dtype) for name, array in blocks.read(0)]
        wanted: list[tuple[tuple[int, ...], Any]] = []
        if blocks.label is None:
            self._keys = [name for name, _, _ in seen]
            for name, shape, dtype in seen:
                self._places[name] = (len(wanted), None)
                wanted.append((shape, dtype))
            if not blocks.stacked and len(wanted) == 1:
                self._keys = None
        elif blocks.stacked:
            rest = [one for one in seen if one[0] != blocks.label]
            if not rest or any(shape for _, shape, _ in rest):
                raise LoaderError("beside a label, columns must be single numbers")
            self._places = {name: (0, i) for i, (name, _, _) in enumerate(rest)}
            wanted.append(((len(rest),), np.result_type(*[dtype for _, _, dtype in rest])))
        else:
            for name, shape, dtype in seen:
                if name != blocks.label:
                    self._places[name] = (len(wanted), None)
                    wanted.append((shape, dtype))
        if blocks.label is not None:
            _, shape, dtype = next(one for one in seen if one[0] == blocks.label)
            self._places[blocks.label] = (len(wanted), None)
            wanted.append((shape, dtype))
            self._several = True
        need = sum(most * int(np.prod(shape)) * dtype.itemsize for shape, dtype in wanted)
        if not self.core.reserve(need + blocks.beside):
            raise LoaderError(
                f"a single block of the file needs {human(need + blocks.beside)}, "
                f"more than the budget of {human(budget)}; write it with smaller row groups"
            )
        self._buffers = [np.empty((most, *shape), dtype) for shape, dtype in wanted]

    def start(self, a_pass: Pass) -> None:
        self._pass = a_pass
        self._position = a_pass.position
        rows = [one[2] for one in self._blocks.blocks]
        self._order = list(range(len(rows)))
        if a_pass.shuffled:
            self._order = _permutation(len(rows), a_pass.seed, a_pass.epoch, 0).tolist()
        self._starts = [0]
        for block in self._order:
            self._starts.append(self._starts[-1] + rows[block])
        self._cached = (-1, None)

    def next(self) -> tuple[Any, int] | None:
        whole = Pass.from_buffer_copy(self._pass)
        whole.shuffled = 0
        samples, after = self.core.share(whole, self._position, self._batch)
        if not samples:
            return None
        slot = take(self.core, len(samples))
        into = [
            view(slot, at, (len(samples), *shape), dtype.str) for at, shape, dtype in self._fields
        ]
        done = 0
        while done < len(samples):
            first = samples[0] + done
            place = int(np.searchsorted(self._starts, first, side="right")) - 1
            arrays, rows = self._block(place)
            begin = first - self._starts[place]
            some = min(len(samples) - done, self._starts[place + 1] - first)
            for array, target in zip(arrays, into):
                into_rows = target[done : done + some]
                if rows is None:
                    into_rows[:] = array[begin : begin + some]
                else:
                    np.take(array, rows[begin : begin + some], 0, into_rows, mode="clip")
            done += some
        self._position = after
        self._seen += len(samples)
        made = [tensor(array) for array in into] if self._torch else into
        if self._keys is not None:
            return dict(zip(self._keys, made)), after
        return (tuple(made) if self._several else made[0]), after

    def _block(self, place: int) -> Any:
        if self._cached[0] != place:
            block = self._order[place]
            self._cached = (-1, None)
            if self._places:
                for name, array in self._blocks.read(block):
                    number, column = self._places[name]
                    target = self._buffers[number][: len(array)]
                    if column is None:
                        target[:] = array
                    else:
                        target[:, column] = array
                    del array
            rows = None
            if self._pass.shuffled:
                count = self._blocks.blocks[block][2]
                rows = _permutation(count, self._pass.seed, self._pass.epoch, block + 1)
            self._cached = (place, (self._buffers, rows))
        return self._cached[1]

    def stats(self) -> dict[str, Any]:
        return own_stats(self.core, self._seen, [])

    def close(self) -> None:
        self._cached = (-1, None)
        self.core.close()


def _permutation(count: int, seed: int, epoch: int, block: int) -> np.ndarray[Any, Any]:
    """Of a block's rows: small enough to be a list, and the same on every machine."""
    random = np.random.Generator(np.random.PCG64([seed, epoch, block]))
    # By sorting random keys: the order of `permutation` may change between versions of NumPy.
    return np.argsort(random.integers(0, 1 << 62, count, dtype=np.int64), kind="stable")
