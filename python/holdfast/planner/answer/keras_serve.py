"""Answers requests about Keras models by estimates: all that a Python without torch can plan."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from holdfast.planner.exchange.device import Device
from holdfast.planner.exchange.requests import NotPossible, answer_all, device_of
from holdfast.planner.keras import keras_data, keras_step
from holdfast.planner.keras.keras_data import Data
from holdfast.planner.keras.keras_fit import FoundModel, stopped
from holdfast.planner.keras.keras_trace import CannotTrace


class NotKeras(RuntimeError):
    """Without torch there is nothing else that could be planned."""

    told = True


def made_by(make: Callable[..., Any], batch: int) -> Any:
    """make(batch), or make() if it takes no argument: a Keras model has no batch of its own."""
    try:
        wants = len(inspect.signature(make).parameters)
    except (TypeError, ValueError):
        wants = 1
    return make(batch) if wants else make()


def reckon(
    model: Any,
    batch: int,
    path: Path,
    device: Device,
    data: Data = Data(),  # noqa: B008
    reason: str | None = None,
) -> None:
    """The capture file of a model's training step."""
    if not getattr(model, "compiled", False):
        raise CannotTrace(
            f"model {model.name!r} is not compiled, so its optimizer is not known: call "
            'model.compile(optimizer="adam", loss=...)'
        )
    inputs = keras_data.of_batch(keras_data.inputs_of(model, data), batch)
    keras_step.write(model, inputs, batch, path, device, [reason] if reason else [])


def reckon_found(found: FoundModel, batch: int, path: Path, device: Device) -> bool:
    """The same for what a script was about to train; batch 0: its own."""
    size = batch or found.data.batch
    if not size:
        raise CannotTrace("the batch size of this fit() is not known: say --batch N")
    reckon(found.model, size, path, device, found.data)
    return True


def serve(requests: TextIO, answers: TextIO, make: Callable[..., Any]) -> None:
    """Plans of the compiled model that make() returns."""

    def answer(request: dict[str, Any], path: Path) -> bool:
        if request["way"]:
            raise NotPossible("only for a step on torch")
        made = made_by(make, request["batch"])
        if not keras_data.is_model(made):
            raise NotKeras(
                "this Python has no torch, and make() did not return a Keras model: name a "
                "Python that has torch (--python PYTHON), or return a compiled keras.Model"
            )
        reckon(made, request["batch"], path, device_of(request))
        return True

    answer_all(requests, answers, answer)


def serve_script(requests: TextIO, answers: TextIO, words: list[str]) -> None:
    """Plans of what a script would train with fit()."""
    from holdfast.planner.program.run_script import run_script, words_of_script

    found: list[FoundModel] = []

    def stop(model: Any, data: Data) -> None:
        raise FoundModel(model, data)

    def answer(request: dict[str, Any], path: Path) -> bool:
        if request["way"]:
            raise NotPossible("only for a step on torch")
        if not found:
            try:
                with stopped(stop):
                    run_script(words_of_script(words))
            except FoundModel as trains:
                found.append(trains)
        if not found:
            raise NotKeras(
                f"{words[0]} did not call a Keras model's fit(), and this Python has no torch: "
                "name one that has it (--python PYTHON)"
            )
        return reckon_found(found[0], request["batch"], path, device_of(request))

    answer_all(requests, answers, answer)
