"""Whatever the system refuses the supervisor, the program runs to its own end."""

import errno
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import proc
from support.run import PATIENCE, PROGRAMS, eventually, finish, program

# More calls of one kind than any run makes before its verdict is printed.
MOST_CALLS = 4000
SCRIPT = "echo out; echo err >&2; exit 7"


@pytest.fixture(scope="session")
def failing_calls(compiler, tmp_path_factory):
    library = tmp_path_factory.mktemp("fail_call") / "fail_call.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", PROGRAMS / "fail_call.c", "-o", library, "-ldl"],
        check=True,
    )
    return library


@pytest.fixture
def run_with_fault(holdfast, failing_calls, tmp_path):
    """Runs the script; returns whether the n-th call was made, and the result."""

    def run(kind, number, error, lasts):
        mark = tmp_path / f"mark-{kind}-{number}-{lasts}"
        fault = f"{kind}:{number}:{error}" + (":on" if lasts else "")
        ended = holdfast.run(
            "/bin/sh",
            "-c",
            SCRIPT,
            env=holdfast.environment
            | {"LD_PRELOAD": str(failing_calls), "FAIL_CALL": fault, "FAIL_MARK": str(mark)},
        )
        return mark.exists(), ended

    return run


def check(fault, ended):
    assert ended.returncode == 7, (fault, ended)
    assert ended.stdout == b"out\n", (fault, ended)
    lines = ended.stderr.splitlines()
    assert lines.count(b"err") == 1, (fault, ended)
    # The verdict is one line; beside it at most one warning.
    assert len(lines) <= 3, (fault, ended)
    assert sum(line.startswith(b"holdfast: ") for line in lines) <= 2, (fault, ended)


@pytest.mark.parametrize("lasts", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("fork", errno.EAGAIN),
        ("pipe2", errno.EMFILE),
        ("socketpair", errno.EMFILE),
        ("mmap", errno.ENOMEM),
        ("epoll", errno.EMFILE),
        ("memfd", errno.EMFILE),
        ("signalfd", errno.EMFILE),
        ("fallocate", errno.ENOSPC),
        ("open", errno.EMFILE),
    ],
)
def test_a_refused_call_leaves_the_program_alone(run_with_fault, kind, error, lasts):
    def one(number):
        made, ended = run_with_fault(kind, number, error, lasts)
        check((kind, number, lasts), ended)
        return made

    # Every call of rare kinds; of the many calls that read files, first every one.
    with ThreadPoolExecutor(2) as pool:
        for first in range(1, MOST_CALLS, 8):
            step = 1 if first < 100 else 12
            numbers = range(first, first + 8, step)
            if not all(list(pool.map(one, numbers))):
                break
    assert first < MOST_CALLS


def test_no_memory_for_us_leaves_the_program_alone(run_with_fault):
    def one(number):
        _, ended = run_with_fault("malloc", number, errno.ENOMEM, False)
        check(("malloc", number), ended)

    # The first few are the C++ runtime's own, before main().
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, range(8, 1500, 5)))


def test_a_program_outlives_a_supervisor_that_crashes(holdfast, failing_calls, tmp_path):
    mark = tmp_path / "mark"
    fault = {"LD_PRELOAD": str(failing_calls), "FAIL_CALL": "crash:2:0", "FAIL_MARK": str(mark)}
    running = holdfast.start(
        *program("echo_to_stderr.py"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=holdfast.environment | fault,
    )
    pid = int(running.stdout.readline().split()[1])
    assert running.wait(timeout=PATIENCE) == -signal.SIGSEGV
    running.stdin.write(b"still here\n")
    running.stdin.flush()
    assert running.stdout.readline() == b"done\n"
    assert proc.is_running(pid)
    finish(running)
    eventually("the program ends", lambda: not proc.is_running(pid))
    verdict = eventually("the sentry tells", lambda: _ended(holdfast.why()))
    assert verdict["end"]["slug"] != "killed"
    assert any("crashed" in line for line in verdict["missing"])


def _ended(verdict):
    return verdict if verdict["outcome"] != "running" else None
