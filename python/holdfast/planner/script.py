"""Plans an unchanged script: it runs on pretended tensors until its second optimizer step.

A step is then what lies between the ends of two optimizer steps. The batch size is the one its
first
DataLoader gets, and can be varied there.
"""

import json
import runpy
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import torch.utils.data
from torch.optim.optimizer import register_optimizer_step_post_hook

from holdfast.planner import capture, capture_file
from holdfast.planner.pretend import pretended
from holdfast.planner.recorder import Recorder
from holdfast.planner.serve import device_of


class Enough(BaseException):
    """Two steps were seen. Not an Exception: the script must not catch it."""


class NoStep(RuntimeError):
    """The script ended before two optimizer steps."""


@contextmanager
def _batch_size(wanted: int, seen: list[int]) -> Iterator[None]:
    """Loaders as the script makes them, but in this process, and with the wanted batch size."""
    loader = torch.utils.data.DataLoader
    original = loader.__init__

    def made(self: Any, dataset: Any, *args: Any, **kwargs: Any) -> None:
        names = ("batch_size", "shuffle", "sampler", "batch_sampler", "num_workers")
        kwargs.update(dict(zip(names, args, strict=False)))
        rest = args[len(names) :]
        size = kwargs.get("batch_size", 1)
        if kwargs.get("batch_sampler") is None and size is not None:
            if not seen:
                seen.append(size)
            if wanted and size == seen[0]:
                kwargs["batch_size"] = wanted
        kwargs.update(num_workers=0)
        for name in ("prefetch_factor", "persistent_workers", "pin_memory", "timeout"):
            kwargs.pop(name, None)
        original(self, dataset, *rest, **kwargs)

    loader.__init__ = made  # type: ignore[method-assign]
    try:
        yield
    finally:
        loader.__init__ = original  # type: ignore[method-assign]


def _run(words: list[str]) -> None:
    """As `python words...` would."""
    before = sys.argv[:], sys.path[:]
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = words
            sys.path.insert(0, str(Path(words[0]).resolve().parent))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit:
        pass
    finally:
        sys.argv[:], sys.path[:] = before


def record_script(words: list[str], batch: int, device: Any) -> tuple[Recorder, int | None]:
    """The recorded steps, and the batch size of the first loader."""
    recorder = Recorder()
    seen: list[int] = []
    steps = [0]
    length = [0]

    def stepped(*_: Any) -> None:
        recorder.mark("step")
        steps[0] += 1
        if steps[0] == capture.STEPS:
            length[0] = len(recorder.events)
            raise Enough

    with (
        capture.no_collections(),
        warnings.catch_warnings(),
        pretended(recorder, device),
        capture.module_names(recorder),
        capture.optimizer_roles(recorder),
        _batch_size(batch, seen),
    ):
        warnings.simplefilter("ignore")
        hook = register_optimizer_step_post_hook(stepped)
        try:
            _run(words)
        except Enough:
            pass
        finally:
            hook.remove()
    if steps[0] < capture.STEPS:
        raise NoStep(
            f"the script made {steps[0]} optimizer steps, and two are needed; does it train at all?"
        )
    del recorder.events[length[0] :]
    return recorder, (batch or seen[0]) if seen else None


def serve_script(requests: TextIO, answers: TextIO, words: list[str]) -> None:
    """As serve(), for a script; without ways, which need a function to change."""
    with tempfile.TemporaryDirectory(prefix="holdfast-fit-") as folder:
        for number, line in enumerate(requests):
            request = json.loads(line)
            path = Path(folder, f"{number}.capture")
            try:
                if request["way"]:
                    raise ValueError("only for FILE.py:make")
                device = device_of(request)
                recorder, size = record_script(words, request["batch"], device)
                header = capture.header(recorder, size or 1, device)
                if size is None:
                    header["missing"].append(
                        "no DataLoader was made, so the batch size is not known and cannot vary"
                    )
                capture_file.write(path, header, recorder.events, recorder.roles)
                answer: dict[str, Any] = {"file": str(path), "any_batch": size is not None}
            except (Exception, Enough) as error:
                if not request["way"]:
                    traceback.print_exception(error)
                answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
