"""Answers requests for captures: a line of JSON in, a line of JSON out."""

import json
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from holdfast.planner import variants
from holdfast.planner.capture import Make, capture
from holdfast.planner.device import Device


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


def serve(
    requests: TextIO, answers: TextIO, make: Make, failed: Callable[[], None] | None = None
) -> None:
    """Until the other side closes. Files lie in a folder that ends with this call."""
    with tempfile.TemporaryDirectory(prefix="holdfast-fit-") as folder:
        for number, line in enumerate(requests):
            request = json.loads(line)
            path = Path(folder, f"{number}.capture")
            try:
                changed = variants.apply(request["way"], make)
                capture(changed, request["batch"], path, device_of(request))
                answer: dict[str, Any] = {"file": str(path), "any_batch": True}
            except variants.NotPossible as refused:
                answer = {"error": str(refused)}
            except Exception as error:
                if not request["way"]:
                    _show(error)
                answer = {"error": _in_one_line(error)}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


def _show(error: BaseException) -> None:
    traceback.print_exception(error)


def _in_one_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else 'no message'}"
