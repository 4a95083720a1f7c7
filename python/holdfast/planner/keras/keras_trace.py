"""Which layers of a Keras model run on what, in order: one symbolic call, no data, no weights.

Keras calls a model on tensors that have only shapes, for any backend. Every layer that runs passes
through ``Layer.__call__``, those inside custom layers and models too, and is noted there.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

WIDTH = {"bool": 1, "float16": 2, "bfloat16": 2, "float64": 8, "int64": 8, "uint64": 8}
# These layers are treated as a whole: the layers inside run once per time step, or in one kernel.
MODELS = ("Functional", "Sequential", "Model")
WHOLE = ("RNN", "LSTM", "GRU", "SimpleRNN", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D")


class CannotTrace(RuntimeError):
    """The model cannot be followed; the message says why and what to do."""

    told = True


@dataclass(frozen=True)
class Tensor:
    """A tensor of the step, by its number."""

    key: int
    shape: tuple[int, ...]
    dtype: str

    @property
    def elements(self) -> int:
        """How many."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """As it lies in memory, without an allocator's rounding."""
        return self.elements * WIDTH.get(self.dtype, 1 if self.dtype.endswith("int8") else 4)


@dataclass(frozen=True)
class Call:
    """A layer that ran."""

    layer: Any
    kind: str  # its class, or the nearest one of Keras' own
    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    inner: bool  # ran inside another layer that is not a model


@dataclass(frozen=True)
class Trace:
    """A forward pass."""

    inputs: tuple[Tensor, ...]
    calls: tuple[Call, ...]
    outputs: tuple[Tensor, ...]


def kind_of(layer: Any) -> str:
    """The class that decides what a layer keeps: its own, or the Keras class it derives from."""
    for kind in type(layer).__mro__:
        if kind.__module__.startswith("keras.") and kind.__name__ not in ("Layer", "Operation"):
            return kind.__name__
    return type(layer).__name__


class _Notes:
    """Notes the calls. Identity tells tensors apart, so all of them are held meanwhile."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.depth_whole = 0
        self.depth = 0  # of layers that are no models
        self._keys: dict[int, int] = {}
        self._held: list[Any] = []

    def tensors(self, values: Any) -> tuple[Tensor, ...]:
        import keras

        found = []
        for leaf in keras.tree.flatten(values):
            shape, dtype = getattr(leaf, "shape", None), getattr(leaf, "dtype", None)
            if shape is None or dtype is None or isinstance(leaf, keras.Variable):
                continue
            extents = tuple(shape)
            if any(extent is None for extent in extents):
                continue
            if id(leaf) not in self._keys:
                self._keys[id(leaf)] = len(self._held)
                self._held.append(leaf)
            name = keras.backend.standardize_dtype(dtype)
            found.append(Tensor(self._keys[id(leaf)], tuple(int(e) for e in extents), name))
        return tuple(found)

    def call(self, original: Any, layer: Any, args: Any, kwargs: Any) -> Any:
        kind = kind_of(layer)
        whole = kind in WHOLE
        nested = kind not in MODELS
        before = len(self.calls)
        self.depth_whole += whole
        self.depth += nested
        try:
            result = original(layer, *args, **kwargs)
        finally:
            self.depth_whole -= whole
            self.depth -= nested
        # A layer with layers inside is only their sum, except attention: its products of queries
        # and keys belong to no inner layer.
        if self.depth_whole or (len(self.calls) > before and "Attention" not in kind):
            return result
        inputs = tuple(dict.fromkeys(self.tensors((args, kwargs))))
        outputs = self.tensors(result)
        if outputs:
            name = getattr(layer, "path", None) or layer.name
            self.calls.append(Call(layer, kind, name, inputs, outputs, self.depth > 0))
        return result


@contextmanager
def _noted() -> Iterator[_Notes]:
    from keras.src.layers.layer import Layer

    notes = _Notes()
    original = Layer.__call__

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return notes.call(original, self, args, kwargs)

    Layer.__call__ = call
    try:
        yield notes
    finally:
        Layer.__call__ = original


def trace(model: Any, inputs: Any) -> Trace:
    """A forward pass of training on inputs of these shapes: KerasTensors with a batch size."""
    from keras.src import backend

    seen: dict[str, tuple[Tensor, ...]] = {}

    def forward(given: Any) -> Any:
        notes.calls.clear()  # if one way fails, Keras tries another
        seen["in"] = notes.tensors(given)
        result = model(given, training=True) if model._call_has_training_arg else model(given)
        seen["out"] = notes.tensors(result)
        return result

    with _noted() as notes:
        try:
            backend.compute_output_spec(forward, inputs)
        except CannotTrace:
            raise
        except Exception as error:
            said = str(error).strip().splitlines()
            raise CannotTrace(
                f"{model.name}: Keras cannot infer its shapes ({type(error).__name__}: "
                f"{said[0] if said else 'no message'}); give every Input a shape, or build the "
                "model before it is planned"
            ) from None
    calls = tuple(call for call in notes.calls if call.layer is not model)
    if not calls:
        raise CannotTrace(f"{model.name}: none of its layers ran")
    return Trace(seen["in"], calls, seen["out"])
