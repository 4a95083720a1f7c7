"""One sample as Python has it: its arrays, and how arrays get its form again."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np

from holdfast.loader._library import LoaderError, SampleError


def leaves(sample: Any) -> list[Any]:
    """The values of a sample: those of a dictionary, tuple or list, or the sample itself."""
    if isinstance(sample, dict):
        return list(sample.values())
    if isinstance(sample, (tuple, list)):
        return list(sample)
    return [sample]


def as_array(value: Any) -> np.ndarray[Any, Any] | None:
    """A value as an array; None if it is not a number, such as text."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    if isinstance(value, (str, bytes)) or value is None:
        return None
    array = np.asarray(value)
    return None if array.dtype.kind not in "biufc" else array


class SampleLayout:
    """Where the values of a sample lie in a batch, as the first sample shows it."""

    def __init__(self, first: Any, rows: int):
        # Not a function: worker processes get a copy of this.
        self._keys = list(first) if isinstance(first, dict) else None
        self._several = isinstance(first, (tuple, list))
        self.fields: list[tuple[int, tuple[int, ...], np.dtype[Any]] | None] = []
        at = 0
        for value in leaves(first):
            array = as_array(value)
            if array is None:
                self.fields.append(None)
                continue
            self.fields.append((at, array.shape, array.dtype))
            at += -(-array.nbytes * rows // 64) * 64
        self.bytes = max(at, 64)

    def form(self, values: list[Any]) -> Any:
        """Values in the form that the samples have."""
        if self._keys is not None:
            return dict(zip(self._keys, values))
        return tuple(values) if self._several else values[0]

    def put(self, sample: Any, row: int, into: list[Any], name: Callable[[], str]) -> None:
        """Writes a sample to its row; names a sample that differs in form from the first."""
        values = leaves(sample)
        if len(values) != len(self.fields):
            raise SampleError(
                f"{name()}: {len(values)} values, where the first sample has {len(self.fields)}"
            )
        for field, value, place in zip(self.fields, values, into):
            if field is None:
                place[row] = value
                continue
            array = as_array(value)
            if array is None or array.shape != field[1]:
                looks = type(value).__name__ if array is None else f"shape {array.shape}"
                raise SampleError(f"{name()}: {looks}, where the first sample has shape {field[1]}")
            if not np.can_cast(array.dtype, field[2], "same_kind"):
                raise SampleError(
                    f"{name()}: dtype {array.dtype}, where the first sample has {field[2]}"
                )
            place[row] = array


class Mapped:
    """A user's function; a parameter ``rng`` gets random numbers of the sample's own."""

    def __init__(self, function: Callable[..., Any], seed: int):
        import inspect

        if not callable(function):
            raise LoaderError(f"map must be a function, not {type(function).__name__}")
        self.function = function
        self.seed = seed
        try:
            self.wants_random = "rng" in inspect.signature(function).parameters
        except (TypeError, ValueError):  # a built-in without a signature
            self.wants_random = False

    def __call__(self, sample: Any, epoch: int, index: int, name: Callable[[], str]) -> Any:
        try:
            if self.wants_random:
                random = np.random.Generator(np.random.PCG64([self.seed, epoch, index]))
                made = self.function(sample, rng=random)
            else:
                made = self.function(sample)
        except Exception as error:
            raise SampleError(f"{name()}: map raised {type(error).__name__}: {error}") from error
        if made is None:
            raise SampleError(f"{name()}: map returned nothing; it must return the sample")
        return made


class Indexed:
    """A dataset with ``__getitem__`` and ``__len__``."""

    def __init__(self, dataset: Any, mapped: Mapped | None):
        self.dataset = dataset
        self.mapped = mapped
        self.count = len(dataset)
        if self.count == 0:
            raise LoaderError("the dataset has no samples")
        self.fingerprint = f"{type(dataset).__qualname__}:{self.count}"

    def name(self, index: int) -> str:
        return f"sample {index}"

    def get(self, index: int, epoch: int) -> Any:
        """One sample, made in this process."""
        try:
            sample = self.dataset[index]
        except Exception as error:
            raise SampleError(f"sample {index}: {type(error).__name__}: {error}") from error
        if self.mapped is not None:
            sample = self.mapped(sample, epoch, index, lambda: self.name(index))
        return sample
