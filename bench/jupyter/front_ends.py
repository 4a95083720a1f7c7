"""Front ends without a browser: each runs cells with a watched kernel and returns what they show.

They return the errors and panels of every cell, as text. A console knows no cells: it returns
everything that it prints, as its second cell.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence

from bench.jupyter.place import PATIENCE, PROGRAMS, Place, words_of


def nbclient(place: Place, cells: Sequence[str]) -> list[str]:
    asked = json.dumps({"cells": list(cells), "kernel": "held", "allow_errors": False})
    program = [sys.executable, str(PROGRAMS / "notebook.py")]
    ended = subprocess.run(
        program,
        input=asked,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return [words_of(outputs) for outputs in json.loads(ended.stdout)["cells"]]


def papermill(place: Place, cells: Sequence[str]) -> list[str]:
    name = place.notebook(cells)
    place.call(sys.executable, "-m", "papermill", name, "out.ipynb")
    return place.saved("out.ipynb")


def execute(place: Place, cells: Sequence[str]) -> list[str]:
    name = place.notebook(cells)
    place.call(sys.executable, "-m", "jupyter", "execute", "--inplace", "--allow-errors", name)
    return place.saved(name)


def console(place: Place, cells: Sequence[str]) -> list[str]:
    # One line each, because a prompt without a terminal takes no other cells.
    lines = [cell.replace("\n", "; ") for cell in cells]
    command = [sys.executable, "-m", "jupyter_console", "--simple-prompt", "--kernel", "held"]
    # By itself it gives up after a minute, which a kernel may need to start on a busy machine.
    patient = f"--ZMQTerminalInteractiveShell.kernel_timeout={PATIENCE}"
    return ["", place.call(*command, patient, text="\n".join(lines) + "\n")]


FRONT_ENDS: dict[str, Callable[[Place, Sequence[str]], list[str]]] = {
    "nbclient": nbclient,
    "papermill": papermill,
    "execute": execute,
    "console": console,
}
