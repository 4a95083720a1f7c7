"""The Python interpreters of this machine with which the agent is tested."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

FREE_THREADED = ["3.13t", "3.14t", "3.15t"]
VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15", *FREE_THREADED]


def _works(path: str, version: str) -> bool:
    ask = (
        "import sys, sysconfig\n"
        "free = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''\n"
        "print('%d.%d' % sys.version_info[:2] + free)"
    )
    try:
        said = subprocess.run([path, "-c", ask], capture_output=True, text=True, timeout=60)
    except OSError:
        return False
    return said.returncode == 0 and said.stdout.strip() == version


@cache
def find(version: str) -> str | None:
    """The interpreter of this version: our own, one from tools/fetch-python, one that pyenv built,
    one in PATH, or one in the folders that HOLDFAST_PYTHONS names."""
    folders = [
        Path(folder) for folder in os.environ.get("HOLDFAST_PYTHONS", "").split(":") if folder
    ]
    folders.append(Path(__file__).parents[2] / "build/pythons")
    built = f"{version.rstrip('t')}.*{'t' if version.endswith('t') else ''}"
    candidates = [
        sys.executable,
        *(str(folder / f"python{version}") for folder in folders),
        *map(str, sorted(Path.home().glob(f".pyenv/versions/{built}/bin/python{version}"))),
        shutil.which(f"python{version}"),
    ]
    return next((path for path in candidates if path and _works(path, version)), None)


def need(version: str) -> str:
    """The interpreter of this version; skips the test if the machine has none."""
    path = find(version)
    if path is None:
        pytest.skip(f"no Python {version} on this machine")
    return path


def each(*versions: str):
    """Runs a test once per version: @each("3.10", "3.11")."""
    return pytest.mark.parametrize("version", versions or VERSIONS)


@cache
def _has(path: str, modules: tuple[str, ...]) -> bool:
    code = f"import {', '.join(modules)}"
    return subprocess.run([path, "-c", code], capture_output=True, check=False).returncode == 0


def python_with(*modules: str) -> str:
    """An interpreter that has these modules: the one `make frameworks` sets up, our own, or one of
    the machine's."""
    candidates = [
        os.environ.get("HOLDFAST_TORCH_PYTHON"),
        sys.executable,
        find("3.11"),
        find("3.12"),
    ]
    for path in filter(None, candidates):
        if _has(path, modules):
            return path
    pytest.skip(f"no Python with {' and '.join(modules)}: see `make frameworks`")


def keras_2_python() -> str:
    """A Python whose `tf.keras` is Keras 2: TensorFlow before 2.16."""
    path = os.environ.get("HOLDFAST_KERAS2_PYTHON")
    if not path or not _has(path, ("tensorflow",)):
        pytest.skip("no Python with TensorFlow before 2.16: see `make frameworks`")
    return path
