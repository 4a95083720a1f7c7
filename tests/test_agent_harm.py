"""What a program could suffer from the agent inside it, and does not: the C programs are in
tests/programs, and run plain and watched."""

import os
import subprocess
from pathlib import Path

import pytest

from support.run import PATIENCE, PROGRAMS, PYTHON


@pytest.fixture(scope="session")
def build(compiler, tmp_path_factory):
    """Compiles one of the C programs in tests/programs."""
    made = {}

    def one(name: str) -> str:
        if name not in made:
            program = tmp_path_factory.mktemp("harm") / Path(name).stem
            source = PROGRAMS / name
            flags = ["-O1", "-Wall", "-Wno-mismatched-dealloc", "-pthread", "-D_GNU_SOURCE"]
            subprocess.run([compiler, *flags, str(source), "-o", str(program)], check=True)
            made[name] = str(program)
        return made[name]

    return one


def test_a_tiny_stack_is_enough_to_start_a_program(watch, build):
    assert watch(build("harm_small_stack.c"), "1500").output == "posix_spawn 0 0\nposix_spawnp 0 0\n"


def test_the_other_preloads_stay_for_children_in_their_order(library, tmp_path):
    """Also where the program hands on an environment in which we are still to be seen."""
    mine = next(Path("/lib").glob("*-linux-gnu/libm.so.6"))
    other = mine.with_name("libdl.so.2")
    run = tmp_path / "hasan"
    run.mkdir(mode=0o700)
    show = "import os; print(os.environ.get('LD_PRELOAD'))"
    code = f"""
import subprocess, sys
for list in {str(library)!r} + ":{mine}:{other}", "{mine}:{other}":
    subprocess.run([sys.executable, "-c", {show!r}], env={{"LD_PRELOAD": list}}, check=True)
"""
    environment = os.environ | {"LD_PRELOAD": f"{library}:{mine}:{other}", "HOLDFAST_RUN": str(run)}
    ended = subprocess.run(
        [PYTHON, "-c", f"{show}\n{code}"],
        env=environment,
        text=True,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    assert ended.stdout == f"{mine}:{other}\n" * 3


def test_popen_shows_nothing_to_other_threads(watch, build):
    assert watch(build("harm_popen.c"), "look").output == "200 shells, 0 sightings\n"


def test_a_child_of_fork_finds_the_locks_free(watch, build):
    """The other thread is in the middle of popen() or system() at the moment of fork."""
    told = watch(build("harm_popen.c"), "fork", compare=False).output
    assert told == "100 children, 0 stuck\n"


def test_popen_is_what_libc_has(watch, build):
    watch(build("harm_popen.c"), "plain")


def test_a_thread_cancelled_in_system_takes_the_shell_along(watch, build):
    assert watch(build("harm_popen.c"), "cancel").output == "cancelled, SIGINT is as it was\n"
