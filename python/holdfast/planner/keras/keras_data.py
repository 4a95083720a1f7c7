"""The shapes of what a Keras model is trained on: from the model, or from fit()'s arguments."""

import math
from dataclasses import dataclass
from typing import Any

from holdfast.planner.keras.keras_trace import CannotTrace

DEFAULT_BATCH = 32  # fit()'s own


@dataclass(frozen=True)
class SampleShape:
    """One input or target: its shape without the batch."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Data:
    """What fit() was given: trees of samples, None if it cannot be known without reading it."""

    inputs: Any = None
    targets: Any = None
    batch: int | None = None


def is_model(thing: Any) -> bool:
    """Whether it is a Keras model; does not import Keras for other objects."""
    return any(
        kind.__module__.startswith("keras.") and kind.__name__ == "Model"
        for kind in type(thing).__mro__
    )


def backend_of(model: Any) -> str:
    """torch, tensorflow or jax."""
    import keras

    assert is_model(model)
    return str(keras.backend.backend())


def _whole(name: str, shape: Any, dtype: str) -> SampleShape:
    extents = tuple(shape)[1:]
    if any(extent is None for extent in extents):
        raise CannotTrace(
            f"input {name!r} has a shape that depends on the data, {tuple(shape)}: give its Input "
            "a fixed shape, such as keras.Input((512,)), to plan the model"
        )
    return SampleShape(tuple(int(extent) for extent in extents), dtype)


def inputs_of(model: Any, data: Data = Data()) -> Any:  # noqa: B008
    """A tree of samples, as the model is called with."""
    import keras

    if data.inputs is not None:
        return data.inputs
    source = getattr(model, "_functional", None) or model
    struct = getattr(source, "_inputs_struct", None)
    if struct is not None:
        return keras.tree.map_structure(
            lambda tensor: _whole(tensor.name, tensor.shape, tensor.dtype), struct
        )
    shapes = getattr(model, "_build_shapes_dict", None)
    if shapes and len(shapes) == 1:
        (shape,) = shapes.values()
        if isinstance(shape, (tuple, list)) and all(
            not isinstance(e, (tuple, list)) for e in shape
        ):
            return _whole(model.name, shape, model.compute_dtype or "float32")
    raise CannotTrace(
        f"model {model.name!r} was never built, so the shapes of its inputs are not known: call "
        "model.build((None, ...)) or train on arrays with fit()"
    )


def of_batch(samples: Any, batch: int) -> Any:
    """The tree as KerasTensors of a whole batch."""
    import keras

    return keras.tree.map_structure(
        lambda sample: keras.KerasTensor((batch, *sample.shape), dtype=sample.dtype), samples
    )


def targets_of(model: Any, data: Data, outputs: Any) -> Any:
    """What the loss is given, for outputs that are KerasTensors; sparse losses want indices."""
    import keras

    if data.targets is not None:
        return data.targets
    loss = model.loss
    name = str(getattr(loss, "name", None) or getattr(loss, "__name__", None) or loss).lower()

    def target(tensor: Any) -> SampleShape:
        if "sparse" in name:
            return SampleShape(tuple(tensor.shape[1:-1]), "int32")
        return SampleShape(tuple(tensor.shape[1:]), "float32")

    return keras.tree.map_structure(target, outputs)


def _sample(array: Any) -> SampleShape | None:
    import keras

    shape, dtype = getattr(array, "shape", None), getattr(array, "dtype", None)
    if shape is None or dtype is None or len(shape) < 1:
        return None
    kind = keras.backend.standardize_dtype(dtype)
    # Keras feeds double precision as the floats it computes with.
    kind = keras.backend.floatx() if kind == "float64" else kind
    return SampleShape(tuple(int(extent or 0) for extent in shape[1:]), kind)


def _samples(arrays: Any) -> Any:
    import keras

    if arrays is None:
        return None
    found = keras.tree.map_structure(_sample, arrays)
    leaves = keras.tree.flatten(found)
    if any(leaf is None or 0 in leaf.shape for leaf in leaves):
        return None
    return found


def of_fit(x: Any, y: Any, batch_size: int | None) -> Data:
    """What fit() was called with; nothing of it is read."""
    spec = getattr(x, "element_spec", None)  # a tf.data.Dataset
    if spec is not None:
        parts = spec if isinstance(spec, tuple) else (spec,)
        size = _leading(parts[0])
        return Data(_samples(parts[0]), _samples(parts[1]) if len(parts) > 1 else None, size)
    loader = getattr(x, "batch_size", None)  # torch's DataLoader
    if isinstance(loader, int) and not hasattr(x, "shape"):
        return Data(batch=loader)
    if hasattr(x, "__getitem__") and hasattr(x, "num_batches"):  # keras.utils.PyDataset
        item = x[0]
        parts = item if isinstance(item, tuple) else (item,)
        targets = _samples(parts[1]) if len(parts) > 1 else None
        return Data(_samples(parts[0]), targets, _leading(parts[0]))
    samples = _samples(x)
    if samples is None:
        return Data(batch=batch_size)
    return Data(samples, _samples(y), batch_size or DEFAULT_BATCH)


def _leading(tree: Any) -> int | None:
    import keras

    shapes = [getattr(leaf, "shape", None) for leaf in keras.tree.flatten(tree)]
    extents = [shape[0] for shape in shapes if shape is not None and len(shape)]
    return int(extents[0]) if extents and extents[0] else None


def bytes_of(samples: Any, batch: int) -> int:
    """A whole batch, at four bytes an element."""
    import keras

    return sum(4 * batch * math.prod(sample.shape) for sample in keras.tree.flatten(samples))
