"""The files of tests: CPython's own, and those of projects fetched by name."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from transparency.case import Skip
from transparency.peers.kernels import BY_DESIGN, Kernels
from transparency.peers.suites import PROJECTS, PROJECTS_PYTHON, Project
from transparency.toolbox import Toolbox

_HERE = Path(__file__).parent
_REQUIREMENTS = _HERE.parents[1] / "tools/requirements-peers.txt"
Outcomes = dict[str, str]


@dataclass
class File:
    """One file of tests: how to run it, and how to read its outcomes."""

    suite: str
    name: str
    line: Callable[[Path], list[str]]
    read: Callable[[Path], Outcomes]
    cwd: Path | None = None
    env: dict[str, str] = field(default_factory=dict)
    kernels: Kernels | None = None  # watched instead of the suite
    by_design: dict[str, str] = field(default_factory=dict)  # test -> why it must differ


def of_cpython(tools: Toolbox, versions: list[str], names: list[str]) -> Iterator[File]:
    for version in versions:
        try:
            python = tools.python_of(version)
        except Skip as why:
            print(f"cpython {version}: skipped: {why}", flush=True)
            continue
        ask = "import test, os, sys; print(sys.version.split()[0], os.path.dirname(test.__file__))"
        said = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
        if said.returncode != 0:
            print(f"cpython {version}: skipped: it came without its tests", flush=True)
            continue
        exact, folder = said.stdout.split(maxsplit=1)
        tests = Path(folder.strip())
        for name in names:
            if (tests / f"{name}.py").exists() or (tests / name).is_dir():
                yield File(
                    f"cpython {exact}",
                    name,
                    lambda path, p=python, n=name: [p, str(_HERE / "outcomes.py"), n, str(path)],
                    lambda path: json.loads(path.read_text()),
                )


def of_projects(tools: Toolbox, folder: Path) -> Iterator[File]:
    try:
        python = _environment(tools.python_of(PROJECTS_PYTHON), folder)
        for project in PROJECTS:
            yield from _of_project(project, _sources(project, python, folder), python)
    except Skip as why:
        print(f"projects: skipped: {why}", flush=True)


def of_kernels(tools: Toolbox, folder: Path, binary: str) -> Iterator[File]:
    """The suites of Jupyter's projects, on kernels under watch."""
    try:
        python = _environment(tools.python_of(PROJECTS_PYTHON), folder)
        kernels = Kernels(folder / "kernels", python, binary)
        for project in PROJECTS:
            if not project.kernels:
                continue
            for file in _of_project(project, _sources(project, python, folder), python):
                file.suite += ", kernels"
                file.kernels, file.by_design = kernels, BY_DESIGN
                yield file
    except Skip as why:
        print(f"kernels: skipped: {why}", flush=True)


def _of_project(project: Project, source: Path, python: str) -> Iterator[File]:
    # Output of passing tests is checked, too: see Compared.said.
    options = ["-q", "-p", "no:cacheprovider", "-o", "junit_logging=all", *project.options]
    for path in sorted((source / project.tests).rglob("test_*.py")):
        relative = str(path.relative_to(source))
        yield File(
            source.name.replace("-", " "),
            str(path.relative_to(source / project.tests)),
            lambda out, r=relative: [python, "-m", "pytest", *options, f"--junitxml={out}", r],
            _read_junit,
            source,
            project.env,
        )


def _read_junit(path: Path) -> Outcomes:
    seen: Outcomes = {}
    for case in xml.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        seen[name] = next((child.tag for child in case if child.tag != "properties"), "passed")
    return seen


def _environment(base: str, folder: Path) -> str:
    """One environment for all projects, made again if the requirements changed."""
    python, copy = folder / "venv/bin/python", folder / "venv/requirements.txt"
    if not copy.exists() or copy.read_text() != _REQUIREMENTS.read_text():
        print("projects: fetching", flush=True)
        _do([base, "-m", "venv", "--clear", str(folder / "venv")])
        _do([str(python), "-m", "pip", "-q", "install", "-r", str(_REQUIREMENTS)])
        shutil.copy(_REQUIREMENTS, copy)
    return str(python)


def _sources(project: Project, python: str, folder: Path) -> Path:
    found = re.search(rf"^{project.name}==\S+", _REQUIREMENTS.read_text(), re.MULTILINE)
    assert found, f"{_REQUIREMENTS.name} does not pin {project.name}"
    source = folder / found[0].replace("==", "-")
    if not source.exists():
        # Only its own sources: its build tools may be wheels.
        how = ["--no-deps", "--no-binary", project.name, "-d", str(folder)]
        _do([python, "-m", "pip", "-q", "download", *how, found[0]])
        shutil.unpack_archive(f"{source}.tar.gz", folder, filter="data")
    return source


def _do(line: list[str]) -> None:
    made = subprocess.run(line, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        last = made.stderr.strip().splitlines()[-1:]
        raise Skip(" ".join([*line[:4], "...:", *last]))
