"""JupyterLab and Notebook 7 in headless Chromium, and kernels started as VS Code does: a row each.

Driven by lab/e2e/table.ts and rawtable.ts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

from bench.jupyter.place import BINARY, ROOT
from bench.jupyter.refusals import HEALTHY, REFUSED

RUNNER = ROOT / "lab/node_modules/.bin/vite-node"
BROWSERS = ("lab", "notebook", "vscode")
# The limit is larger there, and so is the one block that does not fit twice.
REFUSED_LARGER = [[part.replace("(17, ", "(30, ") for part in one] for one in REFUSED]


def obstacle(app: str) -> str:
    """Why it cannot be driven here; empty: it can."""
    if os.geteuid() != 0:
        return "a memory limit around a kernel needs root"
    if not RUNNER.exists() or not (ROOT / "python/holdfast/labextension").exists():
        return "first: tools/lab build"
    if app != "vscode" and not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        return "no Chromium: apt-get install chromium, or set CHROMIUM"
    return ""


def browse(app: str, deaths: dict[str, str], count: int, restarts: bool = False) -> dict:
    """What was counted; with `restarts`, seconds from a click on *Restart and run to here*."""
    raw = app == "vscode"
    asked = {
        "app": app,
        "deaths": deaths,
        "refused": REFUSED if raw else REFUSED_LARGER,
        "healthy": HEALTHY,
        "count": count,
        "restarts": restarts,
    }
    environment = dict(os.environ, HOLDFAST_LAB_PYTHON=sys.executable, HOLDFAST_BIN=BINARY)
    ended = subprocess.run(
        [str(RUNNER), "e2e/rawtable.ts" if raw else "e2e/table.ts"],
        input=json.dumps(asked),
        env=environment,
        cwd=ROOT / "lab",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict = json.loads(ended.stdout.splitlines()[-1])
    return answer


def serious_findings() -> str:
    """Of axe-core, in both themes; empty: none."""
    environment = dict(os.environ, HOLDFAST_LAB_PYTHON=sys.executable, HOLDFAST_BIN=BINARY)
    ended = subprocess.run(
        ["node_modules/.bin/vitest", "run", "--config", "e2e/vitest.config.ts", "axe"],
        env=environment,
        cwd=ROOT / "lab",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return "" if ended.returncode == 0 else ended.stdout[-6000:]
