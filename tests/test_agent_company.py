"""The agent beside software that reaches as deep: allocators, valgrind, several interpreters."""

import shutil
import signal
from pathlib import Path

import pytest

from support.interpreters import each, need
from support.run import PROGRAMS, PYTHON

ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4"}


@pytest.fixture(params=sorted(ALLOCATORS))
def allocator(request) -> str:
    for folder in Path("/usr/lib").glob("*-linux-gnu"):
        if (folder / ALLOCATORS[request.param]).exists():
            return str(folder / ALLOCATORS[request.param])
    pytest.skip(f"no {ALLOCATORS[request.param]} on this machine")


def test_another_allocator_serves_the_program_and_its_lines_are_known(holdfast, allocator):
    environment = holdfast.environment | {"LD_PRELOAD": allocator}
    ended = holdfast.run(PYTHON, str(PROGRAMS / "other_allocator.py"), text=True, env=environment)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert ended.stdout == f"{allocator} serves\n"
    sites = holdfast.why()["memory"]["top_sites"]
    held = {site["line"]: site["live_bytes"] for site in sites}
    line = next(
        number
        for number, text in enumerate((PROGRAMS / "other_allocator.py").read_text().splitlines(), 1)
        if text.endswith("# holds")
    )
    assert held.get(line, 0) == pytest.approx(200 << 20, rel=0.1), sites


def test_a_crash_with_another_allocator_is_told(holdfast, allocator):
    environment = holdfast.environment | {"LD_PRELOAD": allocator}
    code = "import ctypes; ctypes.string_at(0)"
    ended = holdfast.run(PYTHON, "-c", code, text=True, env=environment)
    assert ended.returncode == -signal.SIGSEGV
    verdict = holdfast.why()
    assert verdict["end"]["slug"] == "segfault", verdict["end"]
    lines = [frame for thread in verdict["python_stack"] for frame in thread["frames"]]
    assert any(frame["function"] == "string_at" for frame in lines), verdict["python_stack"]


def test_valgrind_finds_nothing_to_complain_about(holdfast):
    if shutil.which("valgrind") is None:
        pytest.skip("no valgrind on this machine")
    for command in (["/bin/true"], ["sh", "-c", "/bin/echo $((1 + 1))"]):
        ended = holdfast.run(
            "valgrind", "-q", "--error-exitcode=9", "--trace-children=yes", *command, text=True
        )
        assert (ended.returncode, ended.stderr) == (0, "")


@each("3.10", "3.11", "3.12", "3.13", "3.14", "3.15", "3.13t", "3.14t", "3.15t")
def test_interpreters_within_one_process(watch, version):
    ended = watch(need(version), PROGRAMS / "interpreters_within.py")
    assert ended.status == 0, ended.errors
    assert ended.output.endswith("main goes on\n")
