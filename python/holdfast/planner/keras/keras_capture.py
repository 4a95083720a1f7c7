"""Keras models on torch, captured like any other step: exact, so it is tried before estimating."""

import gc
from collections.abc import Callable
from typing import Any

import torch

from holdfast.planner.exchange.numbers import ALLOC, FREE, GRADIENT, OPTIMIZER, WEIGHT
from holdfast.planner.keras import keras_data
from holdfast.planner.keras.keras_data import Data, SampleShape
from holdfast.planner.pretend.recorder import StorageRecorder

_WORTH_TELLING = 16 << 20


class NotOnTorch(Exception):
    """make(batch) returned a model of another backend: it is estimated, not captured."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model


def _tensor(sample: SampleShape, batch: int) -> torch.Tensor:
    from keras.src.backend.torch.core import to_torch_dtype

    return torch.zeros((batch, *sample.shape), dtype=to_torch_dtype(sample.dtype))


def step_of(
    model: Any,
    batch: int,
    recorder: StorageRecorder,
    data: Data = Data(),  # noqa: B008
) -> Callable[[], None]:
    """One call of train_step, as fit() does it; the batch comes from the host."""
    import keras

    if keras_data.backend_of(model) != "torch":
        raise NotOnTorch(model)
    samples = keras_data.inputs_of(model, data)
    outputs = keras.src.backend.compute_output_spec(
        model.__call__, keras_data.of_batch(samples, batch)
    )
    targets = keras_data.targets_of(model, data, outputs)
    model.train()

    def step() -> None:
        x, y = (
            keras.tree.map_structure(lambda sample: _tensor(sample, batch), tree)
            for tree in (samples, targets)
        )
        model.train_step((x, y))
        for variable in model.variables:
            recorder.set_role(variable.value, WEIGHT)
        for variable in model.trainable_variables:
            recorder.set_role(variable.value.grad, GRADIENT)
        for variable in model.optimizer.variables if model.optimizer else ():
            recorder.set_role(variable.value, OPTIMIZER)
        _collect(recorder)

    return step


def _collect(recorder: StorageRecorder) -> None:
    """Ends a step as Python's collector would.

    Merging layers leave their inputs in reference cycles, so these live until a collection, which
    comes at a random moment. The figure excludes them, and says separately how much they are.
    """
    before = len(recorder.events)
    gc.collect()
    dead = {event[1] for event in recorder.events[before:] if event[0] == FREE}
    size = sum(e[2] for e in recorder.events[:before] if e[0] == ALLOC and e[1] in dead)
    if size >= _WORTH_TELLING and not any("cycles" in line for line in recorder.missing):
        recorder.missing.append(
            f"Keras leaves {size >> 20} MiB of each step in reference cycles: they come on top "
            "until Python collects garbage (gc.collect() in a callback does)"
        )


def copy_of(model: Any) -> Any:
    """The same model, compiled in the same way, made anew where the capture sees its weights."""
    import keras

    copy = keras.models.clone_model(model)
    optimizer = model.optimizer
    metrics = getattr(model, "_compile_metrics", None)
    copy.compile(
        optimizer=type(optimizer).from_config(optimizer.get_config()) if optimizer else None,
        loss=model.loss,
        metrics=getattr(metrics, "_user_metrics", None),
        jit_compile=False,
    )
    return copy
