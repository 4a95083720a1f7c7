"""Tables of other libraries: Polars, pandas, pyarrow, datasets; and streams of DuckDB.

All of them offer Arrow's C stream, which the user's own pyarrow reads. A table in memory is read in
place. A stream has its own order; resuming it reads again, and skips, what was read before.
"""

from __future__ import annotations

from typing import Any, Iterator

from holdfast._size import human
from holdfast.loader._arrangement import Arrangement
from holdfast.loader._feeds import own_stats, take
from holdfast.loader._library import Core, LoaderError, Pass
from holdfast.loader._tables import ARROW_BYTES, ArrowTable, imported

_ROWS = 8192  # of a block, if the library asks how many
_IN_BLOCK = 1 << 16


def table_in(source: Any, columns: Any, labels: Any) -> Any:
    """A table in memory, or None if the source is none."""
    found = _as_table(source)
    return None if found is None else MemoryTable(found, columns, labels)


def _as_table(source: Any) -> Any:
    kind = type(source)
    library = kind.__module__.partition(".")[0]
    if library == "datasets" and kind.__name__ == "Dataset":
        # Only its own access knows a choice or an order of rows, or a format of the user's.
        plain = source._indices is None and source.format["type"] is None
        table = source.data.table if plain else None
        return table if table is not None and _all_numbers(table.schema) else None
    if not hasattr(source, "__arrow_c_stream__") or is_stream(source):
        return None
    pa = imported("pyarrow", "pyarrow")
    return source if isinstance(source, pa.Table) else pa.table(source)


def is_stream(source: Any) -> bool:
    """Whether rows come one after the other, from a query or from another reader."""
    kind = type(source)
    return hasattr(source, "__arrow_c_stream__") and (
        kind.__module__.startswith("duckdb") or kind.__name__ == "RecordBatchReader"
    )


def _all_numbers(schema: Any) -> bool:
    import pyarrow as pa

    def number(kind: Any) -> bool:
        while pa.types.is_fixed_size_list(kind):
            kind = kind.value_type
        return bool(
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        )

    return all(number(field.type) for field in schema)


class MemoryTable(ArrowTable):
    """Record batches of a table, without a copy."""

    def __init__(self, table: Any, columns: Any, labels: Any):
        super().__init__([], columns, labels)
        holes = frozenset(n for n in table.schema.names if table.column(n).null_count)
        self._take_schema(table.schema, holes)
        table = table.select([column.name for column in self.columns])
        self._batches = [one for one in table.to_batches(_IN_BLOCK) if one.num_rows]
        self.blocks = [(0, n, batch.num_rows) for n, batch in enumerate(self._batches)]
        if self.blocks:
            self.beside += 2 * self.most_rows * max(column.row_bytes for column in self.columns)

    def _what(self) -> str:
        return "the table"

    @property
    def fingerprint(self) -> str:
        kinds = ",".join(f"{c.name}:{c.dtype.str}{c.shape}" for c in self.columns)
        return f"{kinds}|{self.label}|{self.count}"[:400]

    def name(self, row: int) -> str:
        return f"row {row}"

    def read(self, block: int) -> Iterator[tuple[str, Any]]:
        """The columns of a record batch."""
        batch = self._batches[block]
        for number, column in enumerate(self.columns):
            yield column.name, self._array(column, batch.column(number))


class StreamFeed:
    """Batches of what a stream of record batches gives: no shuffle, no length."""

    def __init__(self, core: Core, source: Any, columns: Any, labels: Any, options: dict[str, Any]):
        imported("pyarrow", "pyarrow")
        self.core = core
        self._source = source
        self._batch: int = options["batch"]
        self._torch: bool = options["torch"]
        self._drop: bool = options["drop_last"]
        self.count: int | None = None
        self._once = type(source).__name__ == "RecordBatchReader"
        self._reader: Any = self._opened()
        self._begun = True
        self._table = _StreamTable(self._reader.schema, columns, labels)
        self._arrangement = Arrangement(self._table, self._batch)
        self.fingerprint = f"stream:{[column.name for column in self._table.columns]}"[:400]
        # Its size is known only when it is there: twice a block of this many rows, at most.
        self._most = max(8 << 20, 2 * _ROWS * self._table.row_bytes, options["budget"] // 4)
        if not core.reserve(ARROW_BYTES + self._most):
            raise LoaderError(
                f"a stream needs {human(ARROW_BYTES + self._most)} beside its batches; the budget "
                f"is {human(options['budget'])}"
            )
        core.prepare(slot_bytes=self._arrangement.slot_bytes)
        self._rows: Any = None
        self._at = 0
        self._position = 0
        self._seen = 0

    def _opened(self) -> Any:
        import pyarrow as pa

        if self._once:
            return self._source
        by_rows = getattr(self._source, "to_arrow_reader", None) or getattr(
            self._source, "fetch_arrow_reader", None
        )
        if by_rows is not None:  # without a number, DuckDB gives a million rows at once
            return by_rows(_ROWS)
        return pa.RecordBatchReader.from_stream(self._source)

    def name(self, index: int) -> str:
        return f"row {index} of the stream"

    def start(self, a_pass: Pass) -> None:
        if not self._begun:
            if self._once:
                raise LoaderError("the stream is used up; give something that can be read again")
            self._reader = self._opened()
        self._begun = False
        self._rows, self._at = None, 0
        self._position = 0
        while self._position < a_pass.position and self._more():
            some = min(a_pass.position - self._position, self._rows.num_rows - self._at)
            self._at += some
            self._position += some

    def _more(self) -> bool:
        """Whether a row is left; then it lies in the current block."""
        while self._rows is None or self._at >= self._rows.num_rows:
            self._rows = None
            self._rows = next(iter(self._reader), None)
            self._at = 0
            if self._rows is None:
                return False
            if self._rows.nbytes > self._most:
                raise LoaderError(
                    f"the stream gave {human(self._rows.nbytes)} at once, more than the "
                    f"{human(self._most)} set aside for it; make its batches smaller"
                )
        return True

    def next(self) -> tuple[Any, int] | None:
        if not self._more():
            return None
        slot = take(self.core, self._batch)
        arrays = self._arrangement.arrays(slot, self._batch)
        done = 0
        while done < self._batch and self._more():
            some = min(self._batch - done, self._rows.num_rows - self._at)
            part = self._rows.slice(self._at, some)
            for column in self._table.columns:
                values = self._table._array(column, part.column(column.name))
                self._arrangement.put(arrays, column.name, values, done)
            self._at += some
            done += some
        if self._drop and done < self._batch:
            return None
        self._position += done
        self._seen += done
        made = arrays if done == self._batch else [array[:done] for array in arrays]
        return self._arrangement.form(made, self._torch), self._position

    def stats(self) -> dict[str, Any]:
        return own_stats(self.core, self._seen, [])

    def close(self) -> None:
        self._rows = self._reader = None
        self.core.close()


class _StreamTable(ArrowTable):
    def __init__(self, schema: Any, columns: Any, labels: Any):
        super().__init__([], columns, labels)
        self._take_schema(schema)

    @property
    def row_bytes(self) -> int:
        return sum(column.row_bytes for column in self.columns)

    def _what(self) -> str:
        return "the stream"
