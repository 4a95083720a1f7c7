"""Files that the user's own libraries read: Parquet and Arrow by pyarrow, HDF5 by h5py.

Their memory is outside the arena, so the loader first reserves from the budget what one block
takes, by the file's own metadata. A block is a row group, a record batch, or some chunks.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from holdfast.loader._library import LoaderError

SLAB = 4 << 20
ARROW_BYTES = 16 << 20  # what pyarrow keeps for itself after its first read, as measured


def imported(module: str, package: str) -> Any:
    """A library of the user's, or an error that says what to install."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise LoaderError(f"reading this needs {package}: pip install {package}") from None


class Column:
    """The form of a column's rows."""

    def __init__(self, name: str, shape: tuple[int, ...], dtype: Any):
        self.name = name
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.row_bytes = int(np.prod(shape)) * self.dtype.itemsize


class Table:
    """Columns of numbers; with ``labels`` the rows are (columns as one array, label)."""

    def __init__(self, paths: list[str], columns: Any, labels: Any):
        self.paths = paths
        self.chosen = None if columns is None else [str(one) for one in columns]
        self.label = None if labels is None else str(labels)
        if self.chosen is not None and self.label is not None and self.label not in self.chosen:
            self.chosen = [*self.chosen, self.label]
        self.columns: list[Column] = []
        self.blocks: list[tuple[int, int, int]] = []  # file, number in it, rows
        self.beside = 1 << 20  # what the reader holds besides the block itself
        self.stacked = True  # with a label, the other columns are one array
        self.named = True  # without a label, a batch is a dictionary of columns
        self._open: tuple[int, Any] = (-1, None)

    @property
    def count(self) -> int:
        return sum(rows for _, _, rows in self.blocks)

    @property
    def most_rows(self) -> int:
        return max(rows for _, _, rows in self.blocks)

    @property
    def fingerprint(self) -> str:
        names = ",".join(f"{Path(p).name}:{Path(p).stat().st_size}" for p in self.paths)
        chosen = [column.name for column in self.columns]
        return hashlib.sha256(f"{names}|{chosen}|{self.label}".encode()).hexdigest()[:16]

    def name(self, row: int) -> str:
        return f"row {row} of {self.paths[0]}"

    def _opened(self, path: str) -> Any:
        raise NotImplementedError

    def _file(self, number: int) -> Any:
        """Keeps one file open, so that its metadata, at its end, is read only once."""
        if self._open[0] != number:
            self.close()
            self._open = (number, self._opened(self.paths[number]))
        return self._open[1]

    def close(self) -> None:
        """Closes the file that is open."""
        if self._open[1] is not None:
            self._open[1].close()
        self._open = (-1, None)


class ArrowTable(Table):
    """What pyarrow's types mean as arrays."""

    def _take_schema(self, schema: Any, with_nulls: frozenset[str] = frozenset()) -> None:
        """Integers with missing values become floats, as in pandas."""
        names = self.chosen if self.chosen is not None else list(schema.names)
        missing = [name for name in names if name not in schema.names]
        if missing:
            raise LoaderError(
                f"{self._what()}: no column {missing[0]!r}; "
                f"the columns are {', '.join(schema.names)}"
            )
        if self.label is not None and self.label not in names:
            raise LoaderError(f"{self._what()}: no column {self.label!r} for the labels")
        self.columns = [
            self._column(name, schema.field(name).type, name in with_nulls) for name in names
        ]

    def _what(self) -> str:
        return self.paths[0]

    def _column(self, name: str, kind: Any, nulls: bool) -> Column:
        import pyarrow as pa

        shape: tuple[int, ...] = ()
        while pa.types.is_fixed_size_list(kind):
            shape = (*shape, kind.list_size)
            kind = kind.value_type
        if not (
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        ):
            raise LoaderError(
                f"{self._what()}: column {name!r} holds {kind}, not numbers; name the columns to "
                "read: columns=[...]"
            )
        dtype = np.dtype(kind.to_pandas_dtype())
        return Column(name, shape, "f8" if nulls and dtype.kind != "f" else dtype)

    def _array(self, column: Column, found: Any) -> np.ndarray[Any, Any]:
        """A column of Arrow's as an array, without a copy if possible."""
        import pyarrow as pa

        length = len(found)
        if column.shape and found.null_count:
            raise LoaderError(f"{self._what()}: column {column.name!r} has missing lists")
        while pa.types.is_fixed_size_list(found.type):
            found = found.flatten()
        if found.null_count and column.dtype.kind != "f":
            raise LoaderError(
                f"{self._what()}: column {column.name!r} has missing values, and {found.type} "
                "cannot express that; fill them, or store the column as floats"
            )
        return _numbers(found, column.dtype).reshape(length, *column.shape)


def _numbers(found: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """An Arrow array of numbers, by its buffers: its own to_numpy imports pandas, 45 MiB."""
    import pyarrow as pa

    valid, values = found.buffers()
    if values is None:
        return np.full(len(found), np.nan, dtype) if len(found) else np.empty(0, dtype)
    if pa.types.is_boolean(found.type):
        array = _bits(values, found).view(np.bool_)
    else:
        kind = np.dtype(found.type.to_pandas_dtype())
        array = np.frombuffer(values, kind, len(found), found.offset * kind.itemsize)
    if array.dtype != dtype:
        array = array.astype(dtype)
    if found.null_count:
        array = np.where(_bits(valid, found).view(np.bool_), array, np.array(np.nan, dtype))
    return array


def _bits(buffer: Any, found: Any) -> np.ndarray[Any, Any]:
    first, end = found.offset // 8, -(-(found.offset + len(found)) // 8)
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8)[first:end], bitorder="little")
    return bits[found.offset % 8 :][: len(found)]


def opened(path: str, how: Callable[[str], Any]) -> Any:
    """Opens a file with its library, whose own errors do not always name the file."""
    try:
        return how(path)
    except (OSError, ValueError) as error:
        words = str(error)
        raise LoaderError(words if path in words else f"{path}: {words}") from error


class Parquet(ArrowTable):
    """Row groups, one column after the other: never a whole row group twice."""

    def __init__(self, paths: list[str], columns: Any, labels: Any):
        super().__init__(paths, columns, labels)
        pq = imported("pyarrow.parquet", "pyarrow")
        schema = None
        with_nulls: set[str] = set()
        for number, path in enumerate(paths):
            with opened(path, pq.ParquetFile) as file:
                schema = schema or file.schema_arrow
                facts = file.metadata
                for group in range(facts.num_row_groups):
                    row_group = facts.row_group(group)
                    if row_group.num_rows:
                        self.blocks.append((number, group, row_group.num_rows))
                    for place in range(row_group.num_columns):
                        self._take_chunk(row_group.column(place), with_nulls)
        self._take_schema(schema, frozenset(with_nulls))
        if self.blocks:
            # Once in Arrow's form, and once more if there are gaps in it.
            self.beside += 2 * self.most_rows * max(column.row_bytes for column in self.columns)
        self.beside += ARROW_BYTES

    def _take_chunk(self, chunk: Any, with_nulls: set[str]) -> None:
        name = chunk.path_in_schema.partition(".")[0]
        if self.chosen is not None and name not in self.chosen:
            return
        self.beside = max(self.beside, chunk.total_compressed_size + chunk.total_uncompressed_size)
        statistics = chunk.statistics
        if statistics is not None and statistics.has_null_count and statistics.null_count:
            with_nulls.add(name)

    def _opened(self, path: str) -> Any:
        import pyarrow.parquet as pq

        # With pre_buffer, or without buffer_size, a reader takes as much memory as the whole file.
        return pq.ParquetFile(path, pre_buffer=False, buffer_size=64 << 10)

    def read(self, block: int) -> Iterator[tuple[str, Any]]:
        """The columns of a row group."""
        number, group, _ = self.blocks[block]
        file = self._file(number)
        for column in self.columns:
            table = file.read_row_group(group, columns=[column.name], use_threads=False)
            found = table.column(0)
            found = found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
            del table
            yield column.name, self._array(column, found)
            del found


class Arrow(ArrowTable):
    """Record batches of a file in Arrow's own format."""

    def __init__(self, paths: list[str], columns: Any, labels: Any):
        super().__init__(paths, columns, labels)
        imported("pyarrow.ipc", "pyarrow")
        largest = 0
        for number in range(len(paths)):
            file = self._file(number)
            for batch in range(file.num_record_batches):
                found = file.get_batch(batch)
                if found.num_rows:
                    self.blocks.append((number, batch, found.num_rows))
                    largest = max(largest, found.nbytes)
            if not self.columns:
                self._take_schema(file.schema)
        self.beside += ARROW_BYTES + 2 * largest

    def _opened(self, path: str) -> Any:
        import pyarrow as pa
        import pyarrow.ipc as ipc

        return opened(path, lambda name: _Closing(pa.OSFile(name, "rb"), ipc.open_file))

    def read(self, block: int) -> Iterator[tuple[str, Any]]:
        """The columns of a record batch."""
        number, batch, _ = self.blocks[block]
        found = self._file(number).get_batch(batch)
        for column in self.columns:
            yield column.name, self._array(column, found.column(column.name))


class _Closing:
    """A reader that closes what it reads from."""

    def __init__(self, file: Any, reader: Any):
        self._file = file
        self._reader = reader(file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def close(self) -> None:
        self._file.close()


class Hdf5(Table):
    """Datasets of one length. Blocks are whole chunks, because HDF5 reads whole chunks anyway."""

    def __init__(self, paths: list[str], columns: Any, labels: Any):
        super().__init__(paths, columns, labels)
        h5py = imported("h5py", "h5py")
        for number, path in enumerate(paths):
            with opened(path, lambda name: h5py.File(name, "r")) as file:
                names = self.chosen or [n for n in file if isinstance(file[n], h5py.Dataset)]
                if self.label is not None and self.label not in names:
                    names = [*names, self.label]
                if not names:
                    raise LoaderError(f"{path}: no datasets at its top; name them: columns=[...]")
                lengths = {len(file[name]) for name in names}
                if len(lengths) != 1:
                    raise LoaderError(f"{path}: datasets of different lengths {sorted(lengths)}")
                self.columns = [Column(n, file[n].shape[1:], file[n].dtype) for n in names]
                row = max(column.row_bytes for column in self.columns)
                chunk = max([file[n].chunks[0] for n in names if file[n].chunks] or [1])
                rows = max(chunk, SLAB // max(1, row) // chunk * chunk)
                length = lengths.pop()
                for start in range(0, length, rows):
                    self.blocks.append((number, start, min(rows, length - start)))
                self.beside = max(self.beside, min(rows, length) * row + (2 << 20))
        self.stacked = False

    def _opened(self, path: str) -> Any:
        import h5py

        return h5py.File(path, "r", rdcc_nbytes=1 << 20)

    def read(self, block: int) -> Iterator[tuple[str, Any]]:
        """A slab of each dataset."""
        number, start, rows = self.blocks[block]
        file = self._file(number)
        for column in self.columns:
            yield column.name, file[column.name][start : start + rows]
