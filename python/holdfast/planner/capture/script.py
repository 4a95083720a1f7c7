"""Plans an unchanged script: it runs on pretended tensors until its second optimizer step.

A step is then everything between the ends of two optimizer steps. The batch size is that of the
first DataLoader, and can be varied there.
"""

import warnings
from pathlib import Path
from typing import Any

from torch.optim.optimizer import register_optimizer_step_post_hook

from holdfast.planner.capture import capture
from holdfast.planner.capture.capture import World
from holdfast.planner.exchange.device import Device
from holdfast.planner.keras import keras_data
from holdfast.planner.keras.keras_data import Data
from holdfast.planner.keras.keras_fit import FoundModel, stopped
from holdfast.planner.pretend.recorder import StorageRecorder
from holdfast.planner.program import loaders
from holdfast.planner.program.loaders import Loaders
from holdfast.planner.program.run_script import CannotPlan, run_script, words_of_script


class Enough(BaseException):
    """Two steps were seen. Not an Exception, so that the script does not catch it."""


def record_script(
    words: list[str], batch: int, device: Device, world: World = capture.PRETENDED
) -> tuple[StorageRecorder, Loaders]:
    """The recorded steps, and what is known of the script's loaders; batch 0: its own."""
    recorder = world.recorder()
    words = words_of_script(words)
    if words[0] != "-m" and not Path(words[0]).is_file():
        raise CannotPlan(f"{words[0]}: no such file")
    steps = [0]
    length = [0]

    def stepped(*_: Any) -> None:
        recorder.mark("step")
        steps[0] += 1
        if steps[0] == capture.STEPS:
            length[0] = len(recorder.events)
            recorder.host = seen.host()
            raise Enough

    def keras_fit(model: Any, data: Data) -> None:
        if keras_data.backend_of(model) != "torch":
            raise FoundModel(model, data)
        from holdfast.planner.keras.keras_capture import step_of

        seen.batch_size = seen.batch_size or data.batch
        if not seen.batch:
            raise CannotPlan("the batch size of this fit() is not known: say --batch N")
        step = step_of(model, seen.batch, recorder, data)
        while True:
            step()
            stepped()

    with (
        capture.no_collections(),
        warnings.catch_warnings(),
        world.around(recorder, device),
        capture.module_names(recorder),
        capture.optimizer_roles(recorder),
        loaders.watched(batch) as seen,
        stopped(keras_fit),
    ):
        warnings.simplefilter("ignore")
        hook = register_optimizer_step_post_hook(stepped)
        try:
            run_script(words)
        except Enough:
            pass
        finally:
            hook.remove()
    _check(words[0], steps[0], batch, seen)
    del recorder.events[length[0] :]
    return recorder, seen


def _check(script: str, steps: int, batch: int, seen: Loaders) -> None:
    """Refuses a capture that is not of what was asked for."""
    if steps < capture.STEPS:
        count = "no optimizer step" if steps == 0 else "one optimizer step"
        trains = "" if steps else " with a torch optimizer, when run like this"
        raise CannotPlan(
            f"{script} made {count}, and two are needed: does it train{trains}? Else write "
            "make(batch) in it, which returns a function that does one step, and plan "
            f"{script}:make"
        )
    if batch and seen.batch is None:
        raise CannotPlan(
            f"{script} makes no DataLoader with a batch size, so --batch cannot be given to it: "
            f"leave --batch out and use its own option (holdfast fit {script} --gpu 24GiB -- "
            f"--batch-size {batch}), or plan {script}:make"
        )
