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
from holdfast.planner.recorder import CannotPretend
from holdfast.planner.small_run import REAL, SmallRuns

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
    small: dict[str, SmallRuns] = {}

    def answer(request: dict[str, Any], path: Path) -> bool:
        way, batch, device = request["way"], request["batch"], device_of(request)
        changed = variants.apply(way, make)
        try:
            capture.capture(changed, batch, path, device)
        except CannotPretend as reason:
            if way not in small:
                small[way] = SmallRuns(lambda size: capture.record(changed, size, device, REAL))
            small[way].write(path, batch, device, str(reason))
        return True

    _serve(requests, answers, answer)


def serve_script(requests: TextIO, answers: TextIO, words: list[str]) -> None:
    """Captures of a script; without ways, which need a function to change."""
    from holdfast.planner.script import record_script

    small: list[SmallRuns] = []

    def answer(request: dict[str, Any], path: Path) -> bool:
        if request["way"]:
            raise variants.NotPossible("only for FILE.py:make")
        batch, device = request["batch"], device_of(request)
        try:
            recorder, seen = record_script(words, batch, device)
        except CannotPretend as reason:
            if not batch:
                raise CannotPretend(f"{reason}; say --batch N for an estimate") from None
            if not small:
                small.append(SmallRuns(lambda size: record_script(words, size, device, REAL)[0]))
            small[0].write(path, batch, device, str(reason))
            return True
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
