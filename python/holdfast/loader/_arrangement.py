"""Where the columns of a table are in a batch, and what a batch looks like to the program."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.loader._arrays import Slot, tensor, view
from holdfast.loader._library import LoaderError
from holdfast.loader._tables import Column


class Arrangement:
    """A dictionary of columns, or (columns as one array, label), or single arrays."""

    def __init__(self, table: Any, batch: int):
        # Which array a column goes to, and where in it; None: the column is the whole array.
        self.places: dict[str, tuple[int, int | None]] = {}
        self.wanted: list[tuple[tuple[int, ...], Any]] = []
        self._keys: list[str] | None = None
        rest = [column for column in table.columns if column.name != table.label]
        if table.label is not None and table.stacked:
            if not rest or any(column.shape for column in rest):
                raise LoaderError("with labels, columns must be single numbers")
            self.places = {column.name: (0, i) for i, column in enumerate(rest)}
            self.wanted.append(((len(rest),), np.result_type(*[column.dtype for column in rest])))
        else:
            for column in rest:
                self._alone(column)
        if table.label is not None:
            self._alone(next(column for column in table.columns if column.name == table.label))
        elif table.named and (table.stacked or len(rest) > 1):
            self._keys = [column.name for column in rest]
        self.fields: list[tuple[int, tuple[int, ...], Any]] = []
        at = 0
        for shape, dtype in self.wanted:
            self.fields.append((at, shape, dtype))
            at += -(-dtype.itemsize * int(np.prod(shape)) * batch // 64) * 64
        self.slot_bytes = max(at, 64)

    def _alone(self, column: Column) -> None:
        self.places[column.name] = (len(self.wanted), None)
        self.wanted.append((column.shape, column.dtype))

    @property
    def row_bytes(self) -> int:
        return sum(int(np.prod(shape)) * dtype.itemsize for shape, dtype in self.wanted)

    def put(self, arrays: list[Any], name: str, values: Any, first: int = 0) -> None:
        """A column's rows into arrays of this arrangement."""
        number, column = self.places[name]
        target = arrays[number][first : first + len(values)]
        if column is None:
            target[:] = values
        else:
            target[:, column] = values

    def arrays(self, slot: Slot, rows: int) -> list[Any]:
        """The arrays of a batch in its slot."""
        whole = view(slot, 0, (self.slot_bytes,), "|u1")
        return [np.ndarray((rows, *shape), dtype, whole, at) for at, shape, dtype in self.fields]

    def form(self, arrays: list[Any], torch: bool) -> Any:
        """The batch in the form that the program gets."""
        made = [tensor(array) for array in arrays] if torch else arrays
        if self._keys is not None:
            return dict(zip(self._keys, made))
        return tuple(made) if len(made) > 1 else made[0]
