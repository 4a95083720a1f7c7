"""Stops an unchanged Keras script where it would train: at fit(), with the model it made."""

import importlib.abc
import importlib.machinery
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.planner.keras import keras_data
from holdfast.planner.keras.keras_data import Data

_TRAINERS = {
    "keras.src.backend.torch.trainer": "TorchTrainer",
    "keras.src.backend.tensorflow.trainer": "TensorFlowTrainer",
    "keras.src.backend.jax.trainer": "JAXTrainer",
}


class FoundModel(BaseException):
    """The script is about to train this. Not an Exception, so that the script does not catch it."""

    def __init__(self, model: Any, data: Data) -> None:
        super().__init__()
        self.model = model
        self.data = data


class _AtImport(importlib.abc.MetaPathFinder):
    """Changes Keras' trainer as it is loaded: the script imports Keras itself, or never."""

    def __init__(self, change: Callable[[Any], None]) -> None:
        self._change = change

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name not in _TRAINERS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def loaded(module: Any) -> None:
                load(module)
                self._change(getattr(module, _TRAINERS[name]))

            spec.loader.exec_module = loaded  # type: ignore[method-assign]
        return spec


@contextmanager
def stopped(at_fit: Callable[[Any, Data], None]) -> Iterator[None]:
    """Inside, fit() calls `at_fit` instead of training."""
    before: list[tuple[Any, Any]] = []

    def change(trainer: Any) -> None:
        original = trainer.fit
        signature = inspect.signature(original)

        def fit(self: Any, *args: Any, **kwargs: Any) -> None:
            given = signature.bind(self, *args, **kwargs).arguments
            x, y, size = (given.get(name) for name in ("x", "y", "batch_size"))
            at_fit(self, keras_data.of_fit(x, y, size))

        before.append((trainer, original))
        trainer.fit = fit

    for name, trainer in _TRAINERS.items():
        if name in sys.modules:
            change(getattr(sys.modules[name], trainer))
    finder = _AtImport(change)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for trainer, original in before:
            trainer.fit = original
