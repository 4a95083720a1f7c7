"""Plans an unchanged script: it runs on pretended tensors until its second optimizer step.

A step is then what lies between the ends of two optimizer steps. The batch size is the one its
first DataLoader gets, and can be varied there.
"""

import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

from torch.optim.optimizer import register_optimizer_step_post_hook

from holdfast.planner import capture, loaders
from holdfast.planner.capture import World
from holdfast.planner.device import Device
from holdfast.planner.loaders import Loaders
from holdfast.planner.recorder import Recorder

# Options of the interpreter that take a word of their own.
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")


class Enough(BaseException):
    """Two steps were seen. Not an Exception: the script must not catch it."""


class CannotPlan(RuntimeError):
    """The script as it is cannot be planned; the message says what to do."""

    told = True


def words_of_script(words: list[str]) -> list[str]:
    """`-u train.py --epochs 1` without what is the interpreter's."""
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c"):
        del rest[: 2 if rest[0] in _WITH_VALUE else 1]
    if not rest or rest[0] == "-c":
        raise CannotPlan("no script to plan: say holdfast fit train.py --gpu 24GiB")
    return rest


def _run(words: list[str]) -> None:
    """As `python words...` would."""
    before = sys.argv, sys.path[:]
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(words)
            sys.path.insert(0, str(Path(words[0]).resolve().parent))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise CannotPlan(
                f"{words[0]} ended by itself before it trained ({end.code}); if it wants options: "
                f"holdfast fit {words[0]} --gpu 24GiB -- --its-option"
            ) from None
    finally:
        sys.argv, sys.path[:] = before


def record_script(
    words: list[str], batch: int, device: Device, world: World = capture.PRETENDED
) -> tuple[Recorder, Loaders]:
    """The recorded steps, and what was seen of the script's loaders; batch 0: its own."""
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

    with (
        capture.no_collections(),
        warnings.catch_warnings(),
        world.around(recorder, device),
        capture.module_names(recorder),
        capture.optimizer_roles(recorder),
        loaders.watched(batch) as seen,
    ):
        warnings.simplefilter("ignore")
        hook = register_optimizer_step_post_hook(stepped)
        try:
            _run(words)
        except Enough:
            pass
        finally:
            hook.remove()
    _check(words[0], steps[0], batch, seen)
    del recorder.events[length[0] :]
    return recorder, seen


def _check(script: str, steps: int, batch: int, seen: Loaders) -> None:
    """Nothing is planned that was not asked for."""
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
