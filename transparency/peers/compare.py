"""One file of tests, plain and watched; a difference counts only after more runs of both."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import unescape

from transparency.peers.files import File, Outcomes
from transparency.peers.kernels import Kernels

PATIENCE = 1200
ROUNDS = 5
_STATUS = "(status)"
_ASSERTION = re.compile(r"Assertion failed: .*")


@dataclass
class Compared:
    """The result for one file. The three kinds of difference name their tests."""

    suite: str
    file: str
    tests: int
    differ: dict[str, str] = field(default_factory=dict)  # plain always the same, watched never so
    watched_only: dict[str, str] = field(default_factory=dict)  # plain always the same, watched not
    plain_too: dict[str, str] = field(default_factory=dict)  # plain is not always the same
    by_design: dict[str, str] = field(default_factory=dict)  # differs, and the documents say why
    kernels: dict[str, int] = field(default_factory=dict)  # watched ones, by their ends
    said: dict[str, int] = field(default_factory=dict)  # failed assertions of libraries


def compare(file: File, binary: str, repeat: int = 1) -> Compared:
    """`repeat`: runs both at least this often, whether they differ or not."""
    compared = Compared(file.suite, file.name, 0)
    plains: list[Outcomes] = []
    watcheds: list[Outcomes] = []

    def play() -> set[str]:
        plains.append(_play(file, binary, False, compared))
        watcheds.append(_play(file, binary, True, compared))
        names = {name for run in (*plains, *watcheds) for name in run}
        return {name for name in names if _differs(name, plains, watcheds)}

    def puzzling(name: str) -> bool:
        return not _reason(file, name, odd) and len(_seen(name, plains)) == 1

    odd = play()
    while len(plains) < repeat or (len(plains) < ROUNDS and any(map(puzzling, odd))):
        odd |= play()
    compared.tests = len(plains[0]) - 1
    for name in sorted(odd):
        theirs, ours = _seen(name, plains), _seen(name, watcheds)
        text = f"plain {_told(name, plains)}; watched {_told(name, watcheds)}"
        if reason := _reason(file, name, odd):
            compared.by_design[name] = f"{reason}: {text}"
        elif len(theirs) > 1:
            compared.plain_too[name] = text
        elif theirs & ours:
            compared.watched_only[name] = text
        else:
            compared.differ[name] = text
    return compared


def _reason(file: File, name: str, odd: set[str]) -> str | None:
    """Why this test must differ; the status of the whole file belongs to its tests."""
    if name == _STATUS:
        others = odd - {_STATUS}
        told = others and all(_reason(file, other, odd) for other in others)
        return "goes with its tests" if told else None
    return file.by_design.get(name.rpartition(".")[2].partition("[")[0])


def _seen(name: str, runs: list[Outcomes]) -> set[str]:
    return {run.get(name, "absent") for run in runs}


def _told(name: str, runs: list[Outcomes]) -> str:
    return ", ".join(run.get(name, "absent") for run in runs)


def _differs(name: str, plains: list[Outcomes], watcheds: list[Outcomes]) -> bool:
    return _seen(name, plains) != _seen(name, watcheds)


def _play(file: File, binary: str, watched: bool, compared: Compared) -> Outcomes:
    with tempfile.TemporaryDirectory(prefix="peers-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        env = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        env |= {"HOLDFAST_HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "TERM": "xterm"} | file.env
        line = file.line(folder / "outcomes")
        if file.kernels is not None:
            env |= file.kernels.environment(watched)
        elif watched:
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
        if file.kernels is not None:
            _note_kernels(file.kernels, folder, "watched" if watched else "plain", compared)
        return seen | {_STATUS: status}


def _note_kernels(kernels: Kernels, folder: Path, way: str, compared: Compared) -> None:
    """What no test checks: how kernels ended, and what libraries printed when they aborted."""
    compared.kernels = dict(Counter(compared.kernels) + kernels.ends(folder / "home"))
    try:
        text = (folder / "outcomes").read_text(errors="replace")
    except OSError:
        return
    heard = Counter(f"{way}: {unescape(one)}" for one in _ASSERTION.findall(text))
    compared.said = dict(Counter(compared.said) + heard)
