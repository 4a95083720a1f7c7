"""The package where it cannot work says so in one sentence: old Pythons, other machines, noexec."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.interpreters import need
from support.run import ROOT

_MACHINE = 18  # where an ELF file says which machine it is for
_S390 = b"\x16\x00"


def said(python: str, packages: Path, *arguments: str, before: tuple[str, ...] = ()) -> str:
    """The last line of what `python` complains of, where no other holdfast can be found."""
    environment = ("/usr/bin/env", "-i", f"PYTHONPATH={packages}", "PATH=/nonexistent")
    ended = subprocess.run(
        [*before, *environment, python, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, (ended.stdout, ended.stderr)
    return ended.stderr.splitlines()[-1]


@pytest.fixture
def python(tmp_path):
    """Ours, in a folder that has no holdfast beside it."""
    link = tmp_path / "python"
    link.symlink_to(Path(sys.executable).resolve())
    return str(link)


@pytest.fixture
def installed(tmp_path):
    """An environment as pip makes it: the package, and beside it a program."""
    packages = tmp_path / "env/lib/python3/site-packages"
    shutil.copytree(ROOT / "python/holdfast", packages / "holdfast")
    program = tmp_path / "env/bin/holdfast"
    program.parent.mkdir()
    shutil.copy("/bin/true", program)
    return packages


@pytest.mark.parametrize("version", ["3.6", "3.7"])
def test_an_older_python_is_told_which_it_needs(version):
    told = f"ImportError: holdfast needs Python 3.8 or newer; this is {version}"
    for how in (("-c", "import holdfast"), ("-m", "holdfast")):
        assert said(need(version), ROOT / "python", "-B", *how) == told


def test_a_program_for_another_machine_is_named(python, installed):
    program = installed.parents[2] / "bin/holdfast"
    content = bytearray(program.read_bytes())
    content[_MACHINE : _MACHINE + 2] = _S390
    program.write_bytes(content)
    assert said(python, installed, "-m", "holdfast") == (
        f"holdfast: {program} is built for another kind of machine than this one"
        f" ({os.uname().machine}); install Holdfast again here"
    )


def test_a_program_on_a_file_system_without_execution_is_named(python, installed, tmp_path):
    env = installed.parents[2]
    # In a mount name space of its own, which ends with it.
    mount = 'mount -t tmpfs -o noexec tmpfs "$1" && cp -r "$2" "$1" && shift 2 && exec "$@"'
    there = tmp_path / "there"
    there.mkdir()
    before = ("unshare", "--mount", "sh", "-c", mount, "sh", str(there), str(env))
    trial = subprocess.run([*before, "true"], capture_output=True, text=True, check=False)
    if trial.returncode != 0:
        pytest.skip(f"no file system can be mounted: {trial.stderr.strip()}")
    packages = there / "env/lib/python3/site-packages"
    assert said(python, packages, "-m", "holdfast", before=before) == (
        f"holdfast: {there}/env/bin/holdfast lies on a file system that is mounted noexec;"
        " install Holdfast elsewhere"
    )
