"""Each front end runs a notebook's cells with a kernel under watch and returns what a user sees."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests/programs/jupyter"
BINARY = os.environ.get("HOLDFAST_BIN") or str(ROOT / "build/release/cli/holdfast")


class Place:
    """A folder with a home for runs and the kernels `held` (under watch) and `plain`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = dict(
            os.environ,
            HOLDFAST_HOME=str(folder / "home"),
            JUPYTER_DATA_DIR=str(folder / "data"),
            JUPYTER_RUNTIME_DIR=str(folder / "runtime"),
            IPYTHONDIR=str(folder / "ipython"),
            PYTHONWARNINGS="ignore",
        )
        install = [BINARY, "kernel", "install", "--python", sys.executable, "--name", "held"]
        subprocess.run(install, env=self.environment, check=True, stdout=subprocess.DEVNULL)
        held = json.loads((folder / "data/kernels/held/kernel.json").read_text())
        plain = folder / "data/kernels/plain"
        plain.mkdir()
        original = held["metadata"]["holdfast"]["original"]
        (plain / "kernel.json").write_text(json.dumps(original))

    def call(self, *words: str, text: str = "") -> str:
        """Everything a command prints."""
        ended = subprocess.run(
            words,
            input=text,
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        return ended.stdout

    def notebook(self, cells: Sequence[str]) -> str:
        """A file with these cells."""
        import nbformat

        made = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": {"name": "held", "display_name": "x", "language": "python"}},
        )
        nbformat.write(made, self.folder / "notebook.ipynb")
        return "notebook.ipynb"

    def saved(self, name: str) -> str:
        """The outputs of the second cell of a notebook file."""
        cells = json.loads((self.folder / name).read_text())["cells"]
        # papermill puts cells of its own in front.
        code = [cell for cell in cells if cell["source"] and cell["cell_type"] == "code"]
        return "\n".join(
            output.get("evalue", "") + "\n".join(output.get("traceback", []))
            for cell in code[1:2]
            for output in cell["outputs"]
        )


def nbclient(place: Place, cells: Sequence[str]) -> str:
    asked = json.dumps({"cells": list(cells), "kernel": "held", "allow_errors": False})
    program = [sys.executable, str(PROGRAMS / "notebook.py")]
    ended = subprocess.run(
        program, input=asked, env=place.environment, capture_output=True, text=True, timeout=120
    )
    outputs = json.loads(ended.stdout)["cells"]
    return "\n".join(o.get("evalue", "") + "\n".join(o.get("traceback", [])) for o in outputs[-2])


def papermill(place: Place, cells: Sequence[str]) -> str:
    name = place.notebook(cells)
    place.call(sys.executable, "-m", "papermill", name, "out.ipynb")
    return place.saved("out.ipynb")


def execute(place: Place, cells: Sequence[str]) -> str:
    name = place.notebook(cells)
    place.call(sys.executable, "-m", "jupyter", "execute", "--inplace", "--allow-errors", name)
    return place.saved(name)


def console(place: Place, cells: Sequence[str]) -> str:
    # One line each: a prompt without a terminal knows no other cells.
    lines = [cell.replace("\n", "; ") for cell in cells]
    command = [sys.executable, "-m", "jupyter_console", "--simple-prompt", "--kernel", "held"]
    return place.call(*command, text="\n".join(lines) + "\n")


FRONT_ENDS: dict[str, Callable[[Place, Sequence[str]], str]] = {
    "nbclient": nbclient,
    "papermill": papermill,
    "execute": execute,
    "console": console,
}


def quiet_ends(place: Place, name: str, count: int) -> int:
    """How many of so many notebooks that end well, or by sys.exit, show last words."""
    ends = ["print('done')", "import sys; sys.exit(3)", "1 / 0", "exit"]
    return sum(
        "KernelDied" in FRONT_ENDS[name](place, ["x = 1", ends[i % len(ends)], "y = 2"])
        for i in range(count)
    )
