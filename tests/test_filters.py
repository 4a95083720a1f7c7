"""Filters and sandboxes around `holdfast run` and inside it: the program fares as it does plain."""

import errno
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.run import PATIENCE, PROGRAMS, PYTHON

KILLED_FOR_A_CALL = -31
ENDS = ["echo out; echo err >&2; exit 3", "echo out; kill -SEGV $$"]
# Some calls that watching needs and the programs above do not.
TAKEN = [
    "close_range",
    "epoll_create1",
    "flock",
    "getitimer",
    "memfd_create",
    "pidfd_open",
    "pipe2",
    "process_vm_readv",
    "setpriority",
    "setsid",
    "signalfd4",
    "socketpair",
    "splice",
    "wait4",
    "waitid",
]
# When these were refused, not killed for, each once made us wait for ever.
WAITED_FOR = [
    "epoll_ctl",
    "epoll_wait",
    "kill",
    "rt_sigprocmask",
    "splice",
    "tee",
    "wait4",
    "waitid",
]
CANNOT_BE_LOADED = 127
# Finding out which calls are allowed needs a child.
NEEDED = ["clone"]
LAST_CALL = 470
# As many as a loaded machine runs before a test counts as hanging.
AT_ONCE = 47


@pytest.fixture(scope="session")
def number_of(compiler):
    def one(name: str) -> int:
        asked = f"#include <sys/syscall.h>\nSYS_{name}"
        told = subprocess.run(
            [compiler, "-E", "-P", "-"], input=asked, capture_output=True, text=True, check=True
        )
        return int(told.stdout.split()[-1])

    return one


@pytest.fixture(scope="session")
def filter_program(compiler, tmp_path_factory):
    def one(name: str) -> str:
        made = tmp_path_factory.mktemp("filter") / name
        source = str(PROGRAMS / f"{name}.c")
        flags = ["-O1", "-w", "-pthread", "-D_GNU_SOURCE"]
        subprocess.run([compiler, *flags, source, "-o", str(made)], check=True)
        return str(made)

    return one


@pytest.fixture
def without(filter_program, holdfast):
    """Runs a script plain and watched, both under a filter that kills for one call, or refuses it
    with an error; says whether the plain one could do without that call."""
    program = filter_program("without_call")

    def both(number: int, script: str, error: int = 0) -> bool:
        def run(line):
            return subprocess.run(
                [program, str(number), str(error), *line],
                env=holdfast.environment,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=PATIENCE,
            )

        plain = run(["/bin/sh", "-c", script])
        if plain.returncode in (KILLED_FOR_A_CALL, CANNOT_BE_LOADED):
            return False
        watched = run(holdfast.line("/bin/sh", "-c", script, options=["--quiet"]))
        seen = (watched.returncode, watched.stdout, watched.stderr)
        assert seen == (plain.returncode, plain.stdout, plain.stderr), f"without call {number}"
        return True

    return both


@pytest.mark.parametrize("name", TAKEN)
def test_a_filter_that_kills_for_what_only_we_need_leaves_the_program_running(
    without, number_of, name
):
    assert without(number_of(name), ENDS[0])


@pytest.mark.parametrize("name", WAITED_FOR)
def test_one_that_refuses_what_we_need_leaves_the_program_running(without, number_of, name):
    assert without(number_of(name), ENDS[0], errno.EPERM)


@pytest.mark.check
@pytest.mark.parametrize("script", ENDS)
@pytest.mark.parametrize("first", range(0, LAST_CALL, AT_ONCE))
def test_so_does_one_that_kills_for_any_other_call(without, number_of, first, script):
    needed = {number_of(name) for name in NEEDED}
    numbers = [number for number in range(first, first + AT_ONCE) if number not in needed]
    with ThreadPoolExecutor(2) as pool:
        could_do_without = list(pool.map(lambda number: without(number, script), numbers))
    assert sum(could_do_without) > AT_ONCE // 2


@pytest.mark.check
@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS])
@pytest.mark.parametrize("first", range(0, LAST_CALL, AT_ONCE))
def test_so_does_one_that_refuses_any_other_call(without, first, error):
    numbers = range(first, first + AT_ONCE)
    with ThreadPoolExecutor(2) as pool:
        could_do_without = list(pool.map(lambda number: without(number, ENDS[0], error), numbers))
    assert sum(could_do_without) > AT_ONCE // 2


def test_it_says_that_nobody_watches(filter_program, number_of, holdfast):
    number = str(number_of("signalfd4"))
    line = holdfast.line("/bin/sh", "-c", "exit 3")
    ended = subprocess.run(
        [filter_program("without_call"), number, "0", *line],
        env=holdfast.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 3
    (said,) = ended.stderr.splitlines()
    assert "seccomp" in said
    assert "unobserved" in said


def test_a_filter_that_allows_watching_is_no_obstacle(filter_program, number_of, holdfast):
    number = str(number_of("swapon"))
    line = holdfast.line("/bin/sh", "-c", "kill -SEGV $$")
    ended = subprocess.run(
        [filter_program("without_call"), number, "0", *line],
        env=holdfast.environment,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == -11
    assert holdfast.why()["exit"]["signal"] == "SIGSEGV"


WORK = "import os; print(sum(len(bytes(1 << 20)) for _ in range(50))); os._exit(3)"
SANDBOXES = {
    "own": [],  # allows the usual calls; works everywhere
    "bwrap": ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"],
    "firejail": ["firejail", "--quiet", "--noprofile", "--seccomp"],
    "gvisor": ["runsc", "--network=none", "--platform=ptrace", "do"],
}


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_sandboxes_run_as_they_would(holdfast, filter_program, sandbox):
    words = SANDBOXES[sandbox] or [filter_program("harm_seccomp"), "prctl"]
    if not shutil.which(words[0]):
        pytest.skip(f"no {words[0]} on this machine")
    command = [*words, PYTHON, "-c", WORK]
    plain = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if sandbox != "own" and plain.returncode != 3:
        pytest.skip(f"{words[0]} is not allowed here")
    ended = holdfast.run(*command, options=["--quiet"], text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, plain.stdout, plain.stderr)
