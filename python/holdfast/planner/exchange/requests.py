"""The exchange with the planning side: a line of JSON in, a line of JSON out. Needs no torch."""

import json
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from holdfast.planner.exchange import problem
from holdfast.planner.exchange.device import Device

# Answers a request: writes the file, and returns whether the batch can be chosen.
Answer = Callable[[dict[str, Any], Path], bool]


class NotPossible(ValueError):
    """The requested change makes no sense for this program."""


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


def answer_all(requests: TextIO, answers: TextIO, answer: Answer) -> None:
    """Until the other side closes. The files are in a folder that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="holdfast-fit-") as folder:
        for number, line in enumerate(requests):
            request = json.loads(line)
            path = Path(folder, f"{number}.capture")
            try:
                said: dict[str, Any] = {"any_batch": answer(request, path), "file": str(path)}
            except NotPossible as refused:
                said = {"error": str(refused)}
            except Exception as error:
                if not request["way"] and not getattr(error, "told", False):
                    traceback.print_exception(error)
                said = {"error": problem.in_one_line(error)}
            answers.write(json.dumps(said) + "\n")
            answers.flush()
