"""Watched kernels in real front ends, which run in their own Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.run import PATIENCE, PROGRAMS, ROOT, Holdfast

# A Python with ipykernel and nbclient; tools/setup --test puts both into .venv.
PYTHON = os.environ.get("HOLDFAST_JUPYTER_PYTHON") or sys.executable


def require(*modules: str) -> None:
    """Skips, and says what to install, if the front ends' Python lacks one of them."""
    line = "; ".join(f"import {module}" for module in modules)
    if subprocess.run([PYTHON, "-c", line], capture_output=True).returncode != 0:
        pytest.skip(f"{PYTHON} lacks one of: {', '.join(modules)}")


class Jupyter:
    """A place for kernelspecs, and front ends that find them there."""

    def __init__(self, holdfast: Holdfast, folder: Path):
        self.holdfast = holdfast
        self.folder = folder
        self.more: dict[str, str] = {}  # environment variables of the front ends

    @property
    def environment(self) -> dict[str, str]:
        path = [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
        return self.holdfast.environment | {
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "IPYTHONDIR": str(self.folder / "ipython"),
            "HOLDFAST_BIN": str(self.holdfast.binary),
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
            "PYTHONWARNINGS": "ignore",
            "HOLDFAST_GUARD": "warn",  # kernels must be able to die here
            **self.more,
        }

    def kernel(self, *arguments: str) -> subprocess.CompletedProcess:
        """holdfast kernel ..."""
        return self.holdfast.call("kernel", *arguments, env=self.environment)

    def install(self, name: str = "held") -> str:
        answer = self.kernel("install", "--python", PYTHON, "--name", name)
        assert answer.returncode == 0, answer.stderr
        return name

    def install_plain(self, name: str = "plain") -> str:
        """The same kernel, not watched."""
        held = json.loads((self.folder / "data/kernels/held/kernel.json").read_text())
        folder = self.folder / "data/kernels" / name
        folder.mkdir()
        (folder / "kernel.json").write_text(json.dumps(held["metadata"]["holdfast"]["original"]))
        return name

    def command(self, *words: str) -> list[str]:
        return [*self.holdfast.prefix, PYTHON, *words]

    def notebook(
        self, *cells: str, kernel: str = "held", allow_errors: bool = False, **more
    ) -> dict:
        """The cells run by nbclient: {"raised": ..., "cells": [outputs of each]}."""
        asked = {"cells": cells, "kernel": kernel, "allow_errors": allow_errors, **more}
        ended = subprocess.run(
            self.command(str(PROGRAMS / "jupyter/notebook.py")),
            input=json.dumps(asked),
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout) | {"stderr": ended.stderr}

    def front_end(self, program: str) -> "FrontEnd":
        return FrontEnd(self, program)

    def session(self, kernel: str = "held", **how: str) -> "FrontEnd":
        """A kernel and its client (see programs/jupyter/session.py)."""
        session = FrontEnd(self, "session.py")
        session.started = session.do("start", kernel=kernel, **how)
        return session


class FrontEnd:
    """One of programs/jupyter/, which follows orders line by line."""

    def __init__(self, jupyter: Jupyter, program: str):
        self.started: dict = {}
        self._process = subprocess.Popen(
            jupyter.command(str(PROGRAMS / "jupyter" / program)),
            env=jupyter.environment,
            cwd=jupyter.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(jupyter.folder / "session.log").open("ab"),
            text=True,
        )

    def do(self, what: str, **arguments) -> dict:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"do": what, **arguments}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the front end fell over; see session.log"
        return json.loads(answer)

    def run(self, code: str) -> dict:
        return self.do("run", code=code)

    def finish(self) -> None:
        """Lets it end by itself."""
        self._process.communicate(timeout=PATIENCE)

    def end(self) -> None:
        """Kills the front end, and with it, a moment later, its kernel."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


def errors(outputs: list[dict]) -> list[dict]:
    """The error outputs of a cell, from whatever message."""
    return [o for o in outputs if o.get("output_type", o.get("kind")) == "error"]


def words(outputs: list[dict]) -> str:
    """The kernel's last words in this cell, panel and error; empty if there are none."""
    said = [
        f"{error['evalue']}\n" + "\n".join(error["traceback"])
        for error in errors(outputs)
        if error["ename"] == "KernelDied"
    ]
    texts = [output.get("data", {}).get("text/plain", "") for output in outputs]
    return "\n".join([*texts, *said]) if said else ""


def panel(outputs: list[dict]) -> str:
    """The HTML panel of the same output."""
    return "".join(output.get("data", {}).get("text/html", "") for output in outputs)


def guarded_session(jupyter: Jupyter, group):
    """In a group with a memory limit, with the guard on: nothing in it may be killed."""
    jupyter.holdfast = jupyter.holdfast.inside(group.inside)
    jupyter.more = {"HOLDFAST_GUARD": "on"}
    made = jupyter.session()
    yield made
    made.do("shutdown")
    made.end()
    assert group.oom_kills == 0


@pytest.fixture
def jupyter(holdfast, tmp_path):
    """A separate Jupyter with a watched kernel."""
    require("ipykernel", "nbclient")
    made = Jupyter(holdfast, tmp_path)
    made.install()
    return made
