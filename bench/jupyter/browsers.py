"""JupyterLab and Notebook 7 in headless Chromium, driven by lab/e2e/table.ts: a row each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench.jupyter.place import BINARY, ROOT
from bench.jupyter.refusals import REFUSED

RUNNER = ROOT / "lab/node_modules/.bin/vite-node"
BROWSERS = ("lab", "notebook")
# The limit is larger there, and so is the one block that does not fit twice.
REFUSED_LARGER = [[part.replace("(17, ", "(30, ") for part in one] for one in REFUSED]


def obstacle() -> str:
    """Why no browser can be driven here; empty: it can."""
    if os.geteuid() != 0:
        return "a memory limit around a kernel needs root"
    if not RUNNER.exists() or not (ROOT / "python/holdfast/labextension").exists():
        return "first: tools/lab build"
    if not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        return "no Chromium: apt-get install chromium, or set CHROMIUM"
    return ""


def browse(app: str, deaths: dict[str, str], count: int) -> dict:
    """What lab/e2e/table.ts has counted."""
    asked = {"app": app, "deaths": deaths, "refused": REFUSED_LARGER, "count": count}
    environment = dict(os.environ, HOLDFAST_LAB_PYTHON=sys.executable, HOLDFAST_BIN=BINARY)
    ended = subprocess.run(
        [str(RUNNER), str(Path("e2e/table.ts"))],
        input=json.dumps(asked),
        env=environment,
        cwd=ROOT / "lab",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict = json.loads(ended.stdout.splitlines()[-1])
    return answer
