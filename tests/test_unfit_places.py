"""The package says in one sentence that it cannot work: old Pythons, other machines, noexec."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.interpreters import need
from support.run import ROOT

_MACHINE = 18  # offset of the machine in an ELF file
_S390 = b"\x16\x00"


def said(python: str, packages: Path, *arguments: str, before: tuple[str, ...] = ()) -> str:
    """The last line of `python`'s complaint, when no other holdfast can be found."""
    environment = ("/usr/bin/env", "-i", f"PYTHONPATH={packages}", "PATH=/nonexistent")
    ended = subprocess.run(
        [*before, *environment, python, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, (ended.stdout, ended.stderr)
    return ended.stderr.splitlines()[-1]


@pytest.fixture
def python(tmp_path):
    """Our Python, in a folder without holdfast."""
    link = tmp_path / "python"
    link.symlink_to(Path(sys.executable).resolve())
    return str(link)


@pytest.fixture
def installed(tmp_path):
    """An environment as pip makes it: the package, with a program beside it."""
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
    # In its own mount name space, which ends with the command.
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


def test_a_program_that_cannot_have_the_agent_is_told_from_outside(holdfast, tmp_path):
    """A 32-bit program, which reads at address 0."""
    source = tmp_path / "dies.s"
    source.write_text(".globl _start\n_start: movl $0, %eax\nmovl (%eax), %ebx\n")
    program = tmp_path / "dies"
    for command in (
        ("as", "--32", "-o", tmp_path / "dies.o", source),
        ("ld", "-m", "elf_i386", "-o", program, tmp_path / "dies.o"),
    ):
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("no assembler for 32-bit x86")
    try:
        plain = subprocess.run([program], check=False).returncode
    except OSError as error:
        pytest.skip(f"this kernel runs no 32-bit programs: {error.strerror}")
    assert plain == -signal.SIGSEGV
    assert holdfast.run(str(program)).returncode == -signal.SIGSEGV
    verdict = holdfast.why()
    assert verdict["end"]["slug"] == "segfault"
    assert any("for 32 bits, for another C library" in one for one in verdict["missing"])
