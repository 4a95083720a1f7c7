"""One file of tests, plain and watched; a difference is believed only after more runs of both."""

from __future__ import annotations

import os
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path

from transparency.peers.files import File, Outcomes

PATIENCE = 1200
ROUNDS = 5


@dataclass
class Compared:
    """What came of one file. The three kinds of difference name their tests."""

    suite: str
    file: str
    tests: int
    differ: dict[str, str] = field(default_factory=dict)  # plain steady, watched never the same
    watched_only: dict[str, str] = field(default_factory=dict)  # plain steady, watched not
    plain_too: dict[str, str] = field(default_factory=dict)  # plain is not the same each time


def compare(file: File, binary: str) -> Compared:
    plains, watcheds = [_play(file, binary, False)], [_play(file, binary, True)]
    compared = Compared(file.suite, file.name, len(plains[0]) - 1)
    odd = {name for name in {*plains[0], *watcheds[0]} if _differs(name, plains, watcheds)}
    while len(plains) < ROUNDS and any(len(_seen(name, plains)) == 1 for name in odd):
        plains.append(_play(file, binary, False))
        watcheds.append(_play(file, binary, True))
    for name in sorted(odd):
        theirs, ours = _seen(name, plains), _seen(name, watcheds)
        text = f"plain {_told(name, plains)}; watched {_told(name, watcheds)}"
        if len(theirs) > 1:
            compared.plain_too[name] = text
        elif theirs & ours:
            compared.watched_only[name] = text
        else:
            compared.differ[name] = text
    return compared


def _seen(name: str, runs: list[Outcomes]) -> set[str]:
    return {run.get(name, "absent") for run in runs}


def _told(name: str, runs: list[Outcomes]) -> str:
    return ", ".join(run.get(name, "absent") for run in runs)


def _differs(name: str, plains: list[Outcomes], watcheds: list[Outcomes]) -> bool:
    return _seen(name, plains) != _seen(name, watcheds)


def _play(file: File, binary: str, watched: bool) -> Outcomes:
    with tempfile.TemporaryDirectory(prefix="peers-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        env = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        env |= {"HOLDFAST_HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "TERM": "xterm"} | file.env
        line = file.line(folder / "outcomes")
        if watched:
            line = [binary, "run", "--quiet", "--", *line]
        running = subprocess.Popen(
            line,
            cwd=file.cwd or folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = str(running.wait(timeout=PATIENCE))
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, 9)  # its own session, and not yet waited for
            running.wait()
            status = "hangs"
        try:
            seen = file.read(folder / "outcomes")
        except (OSError, ValueError, xml.ParseError):
            seen = {}
        return seen | {"(status)": status}
