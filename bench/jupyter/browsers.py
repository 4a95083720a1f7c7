"""JupyterLab and Notebook 7 in headless Chromium, and kernels started as VS Code does: a row each.

Driven by lab/e2e/table.ts and rawtable.ts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from bench.jupyter.place import BINARY, ROOT
from bench.jupyter.refusals import HEALTHY, REFUSED
from bench.jupyter.rows import Pace, Tally

RUNNER = ROOT / "lab/node_modules/.bin/vite-node"
BROWSERS = ("lab", "notebook", "vscode")
KINDS = ("right", "quiet", "named", "silent")
# The limit is larger there, and so is the one block that does not fit twice.
REFUSED_LARGER = [[part.replace("(17, ", "(30, ") for part in one] for one in REFUSED]


def obstacle(app: str) -> str:
    """Why it cannot run here; empty if it can."""
    if os.geteuid() != 0:
        return "a memory limit around a kernel needs root"
    if not RUNNER.exists() or not (ROOT / "python/holdfast/labextension").exists():
        return "first: tools/lab build"
    if app != "vscode" and not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        return "no Chromium: apt-get install chromium, or set CHROMIUM"
    return ""


def browse(app: str, deaths: dict[str, str], count: int, pace: Pace) -> list[Tally]:
    """How many trials of each kind went right."""
    tallies = [Tally(asked=count) for _ in KINDS]
    for answer in _answers(app, deaths, count, pace, pace.jobs):
        for tally, kind in zip(tallies, KINDS, strict=True):
            tally.yes += answer[kind]["yes"]
            tally.played += answer[kind]["played"]
    return tallies


def restarts(app: str, count: int, pace: Pace) -> dict[str, list[float]]:
    """Sorted seconds from clicks on *Restart and run to here* to the first cell; one at a time."""
    (answer,) = _answers(app, {}, count, pace, 1)
    return {when: sorted(times) for when, times in answer["restarts"].items()}


def _answers(app: str, deaths: dict[str, str], count: int, pace: Pace, jobs: int) -> list[dict]:
    """Each job has its own browser and server, and takes every N-th trial."""
    raw = app == "vscode"
    environment = dict(os.environ, HOLDFAST_LAB_PYTHON=sys.executable, HOLDFAST_BIN=BINARY)
    asked = {
        "app": app,
        "deaths": deaths,
        "refused": REFUSED if raw else REFUSED_LARGER,
        "healthy": HEALTHY,
        "count": count,
        "seconds": pace.seconds,
        "step": jobs,
        "restarts": not deaths,
    }

    def job(first: int) -> dict:
        ended = subprocess.run(
            [str(RUNNER), "e2e/rawtable.ts" if raw else "e2e/table.ts"],
            input=json.dumps({**asked, "first": first}),
            env=environment,
            cwd=ROOT / "lab",
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        answer: dict = json.loads(ended.stdout.splitlines()[-1])
        return answer

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(job, range(jobs)))


def serious_findings() -> str:
    """The findings of axe-core, in both themes; empty if there are none."""
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
