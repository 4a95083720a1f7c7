"""Answers requests for captures: a line of JSON in, a line of JSON out."""

import json
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from holdfast.planner import capture, capture_file, problem, variants
from holdfast.planner.capture import Make
from holdfast.planner.device import Device

# What a request is answered with: writes the file, says whether the batch can be chosen.
Answer = Callable[[dict[str, Any], Path], bool]


def device_of(request: dict[str, Any]) -> Device:
    """The GPU that a request describes."""
    told = request.get("device") or {}
    if not told:
        return Device()
    return Device(
        name=f"NVIDIA {told['name']}",
        major=told["sm"] // 10,
        minor=told["sm"] % 10,
        multi_processor_count=told["multiprocessors"],
        max_threads_per_multi_processor=told["threads"],
        total_memory=told["memory"],
    )


def serve(requests: TextIO, answers: TextIO, make: Make) -> None:
    """Captures of make(batch), as it is or with a way applied, until the other side closes."""

    def answer(request: dict[str, Any], path: Path) -> bool:
        changed = variants.apply(request["way"], make)
        capture.capture(changed, request["batch"], path, device_of(request))
        return True

    _serve(requests, answers, answer)


def serve_script(requests: TextIO, answers: TextIO, words: list[str]) -> None:
    """Captures of a script; without ways, which need a function to change."""
    from holdfast.planner.script import record_script

    def answer(request: dict[str, Any], path: Path) -> bool:
        if request["way"]:
            raise variants.NotPossible("only for FILE.py:make")
        device = device_of(request)
        recorder, seen = record_script(words, request["batch"], device)
        header = capture.header(recorder, seen.batch or 0, device)
        if seen.batch is None:
            header["missing"].append(
                "no DataLoader was made, so the batch size is not known and cannot vary"
            )
        capture_file.write(path, header, recorder.events, recorder.roles)
        return seen.batch is not None

    _serve(requests, answers, answer)


def _serve(requests: TextIO, answers: TextIO, answer: Answer) -> None:
    """Files lie in a folder that ends with this call."""
    with tempfile.TemporaryDirectory(prefix="holdfast-fit-") as folder:
        for number, line in enumerate(requests):
            request = json.loads(line)
            path = Path(folder, f"{number}.capture")
            try:
                said: dict[str, Any] = {"any_batch": answer(request, path), "file": str(path)}
            except variants.NotPossible as refused:
                said = {"error": str(refused)}
            except Exception as error:
                if not request["way"] and not getattr(error, "told", False):
                    traceback.print_exception(error)
                said = {"error": problem.in_one_line(error)}
            answers.write(json.dumps(said) + "\n")
            answers.flush()
