"""Suites of front ends and kernels, whose kernels are watched instead of the suite itself."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

from transparency.case import Skip

# Tests that can tell a watched kernel from a plain one by design; docs/jupyter.md says why.
BY_DESIGN = {
    "test_kernel_death_during_execution": "a kernel's death is told as a CellExecutionError",
    "test_error_notebook_hook": "a kernel's death is told as a CellExecutionError",
}


class Kernels:
    """The kernelspec `python3` of one Python, twice: plain, and watched."""

    def __init__(self, folder: Path, python: str, binary: str):
        self._folder = folder
        self._binary = binary
        env = os.environ | {"JUPYTER_DATA_DIR": str(self.path(True))}
        line = [binary, "kernel", "install", "--python", python, "--name", "python3", "--user"]
        made = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Skip(made.stderr.strip())
        held = json.loads((self.path(True) / "kernels/python3/kernel.json").read_text())
        plain = self.path(False) / "kernels/python3"
        plain.mkdir(parents=True, exist_ok=True)
        (plain / "kernel.json").write_text(json.dumps(held["metadata"]["holdfast"]["original"]))

    def path(self, watched: bool) -> Path:
        return self._folder / ("watched" if watched else "plain")

    def environment(self, watched: bool) -> dict[str, str]:
        """Kernelspecs in JUPYTER_PATH come before the native one and those of the user."""
        return {"JUPYTER_PATH": str(self.path(watched))}

    def ends(self, home: Path) -> Counter[str]:
        """How the kernels recorded below this home ended."""
        env = os.environ | {"HOLDFAST_HOME": str(home)}
        seen: Counter[str] = Counter()
        for run in _ask([self._binary, "runs", "--json"], env).get("runs", []):
            verdict = _ask([self._binary, "why", run["id"], "--json"], env)
            end = verdict.get("end") or {}
            told = verdict.get("outcome", "unreadable")
            if told == "died":
                told = f"{end.get('slug')}: {end.get('summary')}"
            seen[told] += 1
        return seen


def _ask(line: list[str], env: dict[str, str]) -> dict:
    said = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
    try:
        return json.loads(said.stdout)
    except ValueError:
        return {}
