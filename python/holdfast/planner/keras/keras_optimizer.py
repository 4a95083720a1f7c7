"""What Keras' optimizers hold for each variable, and what an update takes on torch."""

from typing import Any

from holdfast.planner.keras.keras_trace import Tensor

# Slots as large as the variable.
_SLOTS = {
    "SGD": 0,
    "RMSprop": 1,
    "Adam": 2,
    "AdamW": 2,
    "Nadam": 2,
    "Adamax": 2,
    "Adagrad": 1,
    "Adadelta": 2,
    "Ftrl": 2,
    "Lion": 1,
    "Lamb": 2,
    "Muon": 2,
}
# Lists of temporaries in the shape of all variables that are held at once, in the foreach updates
# of Keras' torch backend.
_COPIES = {"SGD": 1, "Adam": 3, "AdamW": 3, "Nadam": 3, "Adamax": 3, "RMSprop": 3, "Lion": 1}


def inner(optimizer: Any) -> Any:
    """The optimizer inside a LossScaleOptimizer."""
    return getattr(optimizer, "inner_optimizer", optimizer)


def slots_of(model: Any) -> list[int]:
    """Bytes of each of the optimizer's variables."""
    optimizer = model.optimizer
    if optimizer is None:
        return []
    if getattr(optimizer, "built", False):
        return [Tensor(0, tuple(v.shape), str(v.dtype)).bytes for v in optimizer.variables]
    optimizer = inner(optimizer)
    kind = next((k.__name__ for k in type(optimizer).__mro__ if k.__name__ in _SLOTS), None)
    sizes: list[int] = []
    for variable in model.trainable_variables:
        shape = tuple(variable.shape)
        size = Tensor(0, shape, str(variable.dtype)).bytes
        if kind is None and type(optimizer).__name__ == "Adafactor":
            rows = shape[:-1] if len(shape) > 1 else shape
            columns = (*shape[:-2], shape[-1]) if len(shape) > 1 else ()
            sizes += [Tensor(0, part, "float32").bytes for part in (rows, columns) if part]
            continue
        # Two for an optimizer that is not Keras' own: most have a mean and a square.
        count = 2 if kind is None else _SLOTS[kind]
        count += bool(getattr(optimizer, "momentum", 0)) if kind in ("SGD", "RMSprop") else 0
        count += bool(getattr(optimizer, "centered", False)) + bool(
            getattr(optimizer, "amsgrad", False)
        )
        count += bool(getattr(optimizer, "use_ema", False))
        count += bool(getattr(optimizer, "gradient_accumulation_steps", None))
        sizes += [size] * count
    return sizes


def working_sizes(model: Any) -> list[int]:
    """What an update takes in addition on torch: lists of all variables, or one after another."""
    optimizer = model.optimizer
    sizes = [Tensor(0, tuple(v.shape), str(v.dtype)).bytes for v in model.trainable_variables]
    if optimizer is None or not sizes:
        return []
    kinds = (kind.__name__ for kind in type(inner(optimizer)).__mro__)
    copies = next((_COPIES[name] for name in kinds if name in _COPIES), 2)
    # With a loss scale Keras does not use the foreach updates.
    return [max(sizes)] * copies if inner(optimizer) is not optimizer else sizes * copies
