"""Captures training steps without a GPU: builds, runs two steps, writes the file."""

import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from holdfast.planner.exchange import capture_file
from holdfast.planner.exchange.device import Device
from holdfast.planner.exchange.numbers import GRADIENT, OPTIMIZER, WEIGHT
from holdfast.planner.keras import keras_data
from holdfast.planner.pretend.pretend import pretended
from holdfast.planner.pretend.recorder import StorageRecorder
from holdfast.planner.program import loaders


@dataclass(frozen=True)
class World:
    """The environment in which a program is recorded."""

    recorder: Callable[[], StorageRecorder]
    around: Callable[[StorageRecorder, Device], AbstractContextManager[Any]]


PRETENDED = World(StorageRecorder, pretended)
Make = Callable[[int], Callable[[], Any]]
STEPS = 2  # the second step is the first with all state; the replay repeats it

_current: list[StorageRecorder] = []


def mark(label: str) -> None:
    """Notes a moment of the running capture, for benches that compare phases; else does nothing."""
    if _current:
        _current[-1].mark(label)


@contextmanager
def no_collections() -> Iterator[None]:
    """Collects garbage only when a capture asks for it: elsewhere it would free at a random moment.

    Living objects are set aside meanwhile, because walking torch's own objects takes seconds.
    """
    collecting = gc.isenabled()
    frozen = gc.get_freeze_count() > 0  # the program froze them itself: we must not undo that
    gc.disable()
    if not frozen:
        gc.freeze()
    try:
        yield
    finally:
        if not frozen:
            gc.unfreeze()
        if collecting:
            gc.enable()


@contextmanager
def module_names(recorder: StorageRecorder) -> Iterator[None]:
    """Follows which module runs; a root's parameters are weights."""
    from torch.nn.modules import module as hooks

    names: dict[int, str] = {}

    def before(module: nn.Module, _: Any) -> None:
        if id(module) not in names:
            recorder.at_new_model()
            for name, part in module.named_modules():
                names.setdefault(id(part), name or type(module).__name__)
            for tensor in (*module.parameters(), *module.buffers()):
                recorder.set_role(tensor, WEIGHT)
        # Keras' layers know their own path; as torch modules they have no names.
        recorder.enter_module(getattr(module, "path", None) or names[id(module)])

    def after(module: nn.Module, *_: Any) -> None:
        recorder.leave_module()

    handles = [
        hooks.register_module_forward_pre_hook(before),
        hooks.register_module_forward_hook(after, always_call=True),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def optimizer_roles(recorder: StorageRecorder) -> Iterator[None]:
    """Which storages are gradients and optimizer state, as an optimizer knows them."""

    def before(optimizer: Any, *_: Any) -> None:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                recorder.set_role(parameter, WEIGHT)
                recorder.set_role(parameter.grad, GRADIENT)
        recorder.mark("optimizer")

    def after(optimizer: Any, *_: Any) -> None:
        for state in optimizer.state.values():
            for value in state.values():
                recorder.set_role(value, OPTIMIZER)
        recorder.mark("optimizer done")

    handles = [register_optimizer_step_pre_hook(before), register_optimizer_step_post_hook(after)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _step_of(made: Any, batch: int, recorder: StorageRecorder) -> Callable[[], Any]:
    """What make(batch) returned, as a step: a function, or a compiled Keras model."""
    if not keras_data.is_model(made):
        return made  # type: ignore[no-any-return]
    from holdfast.planner.keras import keras_capture

    return keras_capture.step_of(made, batch, recorder)


def record(make: Make, batch: int, device: Device, world: World = PRETENDED) -> StorageRecorder:
    """Builds and runs the steps on the pretended GPU."""
    recorder = world.recorder()
    close: Any = None
    _current.append(recorder)
    try:
        with (
            no_collections(),
            warnings.catch_warnings(),
            world.around(recorder, device),
            module_names(recorder),
            optimizer_roles(recorder),
            loaders.watched() as seen,
        ):
            warnings.simplefilter("ignore")
            step = _step_of(make(batch), batch, recorder)
            close = getattr(step, "close", None)
            gc.collect()
            recorder.mark("made")
            for _ in range(STEPS):
                step()
                recorder.mark("step")
            # Memory freed from here on belongs to the end of the capture, not to a step.
            recorder.events = list(recorder.events)
            length = len(recorder.events)
            recorder.host = seen.host()
            del step
    finally:
        if close is not None:
            close()
        _current.pop()
    del recorder.events[length:]
    return recorder


def header(recorder: StorageRecorder, batch: int, device: Device) -> dict[str, Any]:
    """What the replay must know beside the events."""
    return {
        "torch": torch.__version__.split("+")[0],
        "cuda": torch.version.cuda or "",
        "cudnn": device.cudnn,
        "sm": device.major * 10 + device.minor,
        "batch": batch,
        "steps": STEPS,
        "marks": recorder.marks,
        "sites": [list(site) for site in recorder.sites],
        "missing": recorder.missing,
        "operations": recorder.operations,
        "host": recorder.host,
    }


def capture(make: Make, batch: int, path: Path, device: Device | None = None) -> StorageRecorder:
    """Captures and writes the file."""
    device = device or Device()
    recorder = record(make, batch, device)
    capture_file.write(path, header(recorder, batch, device), recorder.events, recorder.roles)
    return recorder
