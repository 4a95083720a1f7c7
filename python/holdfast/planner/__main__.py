"""python -m holdfast.planner: the capturing side of ``holdfast fit``."""

import argparse
import importlib.util
import json
import os
import sys
from typing import Any

from holdfast.planner.program.target import load_target
from holdfast.planner.python_version import too_old


def serving_side() -> Any:
    """Captures if there is torch; without torch, or for Keras on another backend, estimates."""
    config = sys.modules.get("keras.src.backend.config")
    elsewhere = config is not None and config.backend() != "torch"
    if elsewhere or importlib.util.find_spec("torch") is None:
        if not elsewhere and importlib.util.find_spec("keras") is None:
            sys.exit(
                f"holdfast: {sys.executable} has no torch; name one that has it: --python PYTHON"
            )
        from holdfast.planner.answer import keras_serve

        return keras_serve
    from holdfast.planner.answer import serve

    return serve


def main() -> None:
    """Chooses the task."""
    problem = too_old()
    if problem and sys.argv[1:2] in (["calibrate"], ["verify"]):
        sys.exit(f"holdfast: {problem}")
    if sys.argv[1:2] == ["calibrate"]:
        from holdfast.planner.measure.calibrate import main as calibrate

        calibrate(sys.argv[2:])
        return
    if sys.argv[1:2] == ["verify"]:
        from holdfast.planner.measure.verify import main as verify

        verify(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m holdfast.planner")
    parser.add_argument("--fds", required=True)
    parser.add_argument("--target")
    parser.add_argument("--script", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    requests, answers = (int(fd) for fd in options.fds.split(","))
    with os.fdopen(requests) as incoming, os.fdopen(answers, "w") as outgoing:
        if problem:  # the program tells it, and nothing besides
            for _ in incoming:
                print(json.dumps({"error": problem}), file=outgoing, flush=True)
            return
        make = None if options.script else load_target(options.target)
        side = serving_side()
        if make is None:
            side.serve_script(incoming, outgoing, options.script)
        else:
            side.serve(incoming, outgoing, make)


if __name__ == "__main__":
    main()
