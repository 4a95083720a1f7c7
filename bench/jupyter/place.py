"""A folder with a home for runs, and the kernels `held` (under watch) and `plain` to compare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.guard.groups import Group

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests/programs/jupyter"
BINARY = os.environ.get("HOLDFAST_BIN") or str(ROOT / "build/release/cli/holdfast")
# A front end that takes longer has failed.
PATIENCE = 240


class Place:
    """With a group, both kernels run inside its memory limit."""

    def __init__(self, folder: Path, group: Group | None = None) -> None:
        self.folder = folder
        self.environment = dict(
            os.environ,
            HOLDFAST_HOME=str(folder / "home"),
            HOLDFAST_GUARD="warn",  # the kernels must die; `on` prevents one kind of death
            JUPYTER_DATA_DIR=str(folder / "data"),
            JUPYTER_RUNTIME_DIR=str(folder / "runtime"),
            JUPYTER_CONFIG_DIR=str(folder / "config"),
            IPYTHONDIR=str(folder / "ipython"),
            TMPDIR=str(folder / "tmp"),
            PYTHONWARNINGS="ignore",
        )
        (folder / "tmp").mkdir(parents=True)
        install = [BINARY, "kernel", "install", "--python", sys.executable, "--name", "held"]
        subprocess.run(install, env=self.environment, check=True, stdout=subprocess.DEVNULL)
        held = json.loads(self._spec("held").read_text())
        plain = dict(held["metadata"]["holdfast"]["original"])
        for name, spec in (("held", held), ("plain", plain)):
            if group:
                spec["argv"] = group.inside(*spec["argv"])
            self._spec(name).parent.mkdir(exist_ok=True)
            self._spec(name).write_text(json.dumps(spec))

    def _spec(self, kernel: str) -> Path:
        return self.folder / "data/kernels" / kernel / "kernel.json"

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
            timeout=PATIENCE,
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

    def saved(self, name: str) -> list[str]:
        """What each code cell of a notebook file shows of errors and panels."""
        cells = json.loads((self.folder / name).read_text())["cells"]
        # papermill adds its own cells at the top.
        code = [cell for cell in cells if cell["source"] and cell["cell_type"] == "code"]
        return [words_of(cell["outputs"]) for cell in code]


def words_of(outputs: Sequence[dict]) -> str:
    """Errors, and what is displayed, as text."""
    shown = []
    for output in outputs:
        if output["output_type"] == "error":
            shown += [output.get("evalue", ""), *output.get("traceback", [])]
        elif output["output_type"] == "display_data":
            text = output["data"].get("text/plain", "")  # a file has it line by line
            shown.append(text if isinstance(text, str) else "".join(text))
    return "\n".join(shown)
