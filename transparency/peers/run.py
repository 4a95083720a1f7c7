"""Runs each file of a suite plain and watched; a difference is believed only after more runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from argparse import Namespace
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from transparency.case import Skip
from transparency.peers.suites import CPYTHON, PROJECTS, QUICK, Suite
from transparency.toolbox import VERSIONS, Toolbox

PATIENCE = 600
_HERE = Path(__file__).parent
Outcomes = dict[str, str]


@dataclass
class File:
    """One file of tests: how it is run, and how its outcomes are read."""

    suite: str
    name: str
    line: Callable[[Path], list[str]]
    read: Callable[[Path], Outcomes]
    cwd: Path | None = None


def _play(file: File, binary: str, watched: bool) -> Outcomes:
    with tempfile.TemporaryDirectory(prefix="peers-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        env = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        env |= {"HOLDFAST_HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "TERM": "xterm"}
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


def _differences(plain: Outcomes, watched: Outcomes) -> dict[str, str]:
    names = sorted({*plain, *watched})
    return {
        name: f"{plain.get(name, 'absent')} plain, {watched.get(name, 'absent')} watched"
        for name in names
        if plain.get(name) != watched.get(name)
    }


def compare(file: File, binary: str) -> tuple[int, dict[str, str], dict[str, str]]:
    """The number of tests, the differences, and those that come and go by themselves."""
    plain, watched = _play(file, binary, False), _play(file, binary, True)
    differ = _differences(plain, watched)
    flaky: dict[str, str] = {}
    if differ:
        plains, watcheds = [plain], [watched]
        for _ in range(2):
            plains.append(_play(file, binary, False))
            watcheds.append(_play(file, binary, True))
        for name in list(differ):
            ours = {seen.get(name) for seen in watcheds}
            theirs = {seen.get(name) for seen in plains}
            # Never the same although plain is steady. What is bad only now and then, and only when
            # watched, is told by the words behind it.
            if len(theirs) != 1 or ours & theirs:
                flaky[name] = f"{differ.pop(name)}; later plain {theirs}, watched {ours}"
    return len(plain) - 1, differ, flaky


def _cpython(tools: Toolbox, versions: list[str], names: list[str]) -> Iterator[File]:
    for version in versions:
        try:
            python = tools.python_of(version)
        except Skip as why:
            print(f"cpython {version}: skipped: {why}", flush=True)
            continue
        ask = "import test, os; print(os.path.dirname(test.__file__))"
        said = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
        folder = Path(said.stdout.strip() or "/nowhere")
        for name in names:
            if (folder / f"{name}.py").exists() or (folder / name).is_dir():
                yield File(
                    f"cpython {version}",
                    name,
                    lambda path, p=python, n=name: [p, str(_HERE / "outcomes.py"), n, str(path)],
                    lambda path: json.loads(path.read_text()),
                )


def _read_junit(path: Path) -> Outcomes:
    seen: Outcomes = {}
    for case in xml.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        seen[name] = next((child.tag for child in case if child.tag != "properties"), "passed")
    return seen


def _project(suite: Suite, build: Path) -> Iterator[File]:
    """Fetches a project once, into the build folder, with an environment of its own."""
    home = build / suite.name
    python = home / "venv/bin/python"
    if not (home / "ready").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        print(f"{suite.name}: fetching", flush=True)
        pip = [str(python), "-m", "pip", "-q", "--disable-pip-version-check"]
        own = [] if suite.name == "pytest" else ["pytest<9"]
        for line in (
            [sys.executable, "-m", "venv", str(home / "venv")],
            [*pip, "install", suite.requirement, *own, *suite.needs],
            [
                *pip,
                "download",
                "--no-deps",
                "--no-binary",
                ":all:",
                "-d",
                str(home),
                suite.requirement,
            ],
        ):
            made = subprocess.run(line, capture_output=True, text=True, check=False)
            if made.returncode != 0:
                last = made.stderr.strip().splitlines()[-1:]
                print(f"{suite.name}: skipped: {' '.join(last)}", flush=True)
                return
        shutil.unpack_archive(next(home.glob("*.tar.gz")), home / "source", filter="data")
        (home / "ready").touch()
    source = next(path for path in (home / "source").iterdir() if path.is_dir())
    for path in sorted((source / suite.tests).rglob("test_*.py")):
        relative = str(path.relative_to(source))
        yield File(
            suite.name,
            relative,
            lambda out, r=relative: [
                str(python),
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                *suite.options,
                f"--junitxml={out}",
                r,
            ],
            _read_junit,
            source,
        )


def run_peers(binary: str, tools: Toolbox, arguments: Namespace) -> int:
    versions = arguments.python or (["3.11"] if arguments.quick else VERSIONS)
    names = QUICK if arguments.quick else CPYTHON
    files = list(_cpython(tools, versions, names))
    if not arguments.quick and not arguments.python:
        for suite in PROJECTS:
            files += _project(suite, tools.folder / "peers")
    if arguments.only != "*":
        files = [f for f in files if arguments.only in f"{f.suite} {f.name}"]
    log = Path(arguments.output or tools.folder / "peers.txt")
    tests = differ = flaky = 0
    with log.open("a") as stream, ThreadPoolExecutor(arguments.jobs) as pool:
        played = pool.map(lambda file: (file, *compare(file, binary)), files)
        for number, (file, count, wrong, unsteady) in enumerate(played, 1):
            tests += count
            differ += len(wrong)
            flaky += len(unsteady)
            text = f"{number:4}/{len(files)} {file.suite} {file.name}: {count} tests"
            text += f", {len(wrong)} differ" if wrong else ""
            text += f", {len(unsteady)} come and go" if unsteady else ""
            for name, what in {**wrong, **unsteady}.items():
                text += f"\n       {'DIFFERS' if name in wrong else 'flaky'} {name}: {what}"
            for place in (sys.stdout, stream):
                print(text, file=place, flush=True)
    print(f"\n{len(files)} files, {tests} tests, {differ} differences, {flaky} come and go")
    return 1 if differ else 0
