"""python -m holdfast.planner: the capturing side of ``holdfast fit``."""

import argparse
import os
import runpy
import sys
from pathlib import Path
from typing import Any


def load_target(target: str) -> Any:
    """The function named by FILE.py:NAME, as `python FILE.py` would see its imports."""
    file, _, name = target.rpartition(":")
    path = Path(file)
    if not path.is_file():
        sys.exit(f"holdfast: {file}: no such file")
    sys.path.insert(0, str(path.resolve().parent))
    found = runpy.run_path(str(path), run_name="holdfast_fit_target")
    if name not in found:
        sys.exit(f"holdfast: {file} has no function {name!r}")
    return found[name]


def main() -> None:
    """Chooses the task."""
    if sys.argv[1:2] == ["calibrate"]:
        from holdfast.planner.calibrate import main as calibrate

        calibrate(sys.argv[2:])
        return
    if sys.argv[1:2] == ["verify"]:
        from holdfast.planner.verify import main as verify

        verify(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m holdfast.planner")
    parser.add_argument("--fds", required=True)
    parser.add_argument("--target")
    parser.add_argument("--script", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        sys.exit(f"holdfast: {sys.executable} has no torch; name one that has: --python PYTHON")
    requests, answers = (int(fd) for fd in options.fds.split(","))
    with os.fdopen(requests) as incoming, os.fdopen(answers, "w") as outgoing:
        from holdfast.planner.serve import serve, serve_script

        if options.script:
            serve_script(incoming, outgoing, options.script)
        else:
            serve(incoming, outgoing, load_target(options.target))


if __name__ == "__main__":
    main()
