"""Whatever the system refuses Holdfast's processes, the program runs to its own end."""

import errno
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import proc
from support.run import PATIENCE, PROGRAMS, eventually, finish, program

# More calls of one kind than any run makes before its verdict is printed.
MOST_CALLS = 100_000
SCRIPT = "echo out; echo err >&2; exit 7"
# Gives a helper the time for its call, if it makes one at all.
WAITS_FOR_FAULT = """
echo out; echo err >&2; i=0
while [ ! -e "$FAIL_MARK" ] && [ $((i += 1)) -lt 100 ]; do sleep 0.01; done
exit 7
"""
WAITS_FOR_NAME = 'until grep -q "$HELPER" "$FAIL_NAMES"; do sleep 0.01; done 2>/dev/null; '
WAITS_FOR_SIGTERM = "trap 'echo err >&2; exit 7' TERM; echo out; while :; do sleep 0.01; done"
# A kernel asks now and then whether its parent is still the one that it was told.
KNOWS_ITS_PARENT = '[ "$JPY_PARENT_PID" = "$PPID" ] || exit 1; ' + SCRIPT
LIMIT = 256 << 20

# What the supervisor asks of the system, and how that may be refused.
OF_SUPERVISOR = {
    "fork": errno.EAGAIN,
    "pipe2": errno.EMFILE,
    "socketpair": errno.EMFILE,
    "mmap": errno.ENOMEM,
    "epoll": errno.EMFILE,
    "epoll_ctl": errno.ENOMEM,
    "signalfd": errno.EMFILE,
    "pidfd": errno.EMFILE,
    "opendir": errno.ENOMEM,
    "fallocate": errno.ENOSPC,
}
# Of these there are many: each of several tests takes every eighth.
MANY_OF_SUPERVISOR = {"open": errno.EMFILE, "memory": errno.ENOMEM}
SHARES = 8
# The first memory that C++ asks for, before main(), is what it throws exceptions with when there is
# no other: without both it can only abort.
NEEDED_TO_THROW = 1
# What only some machines make it ask for.
WITHOUT_A_DISK = {"memfd": errno.EMFILE}
UNDER_A_FILTER = {"clone": errno.EAGAIN}
BELOW_A_LIMIT = {"eventfd": errno.EMFILE, "inotify": errno.EMFILE}
WITH_A_GPU = {"dup": errno.EMFILE, "fork": errno.EAGAIN, "fallocate": errno.ENOSPC}
# Each process beside the program, by the name that it takes.
OF_HELPERS = [
    ("holdfast-sentry", "open", errno.EMFILE),
    ("holdfast-sentry", "pidfd", errno.EMFILE),
    ("holdfast-relay", "open", errno.EMFILE),
    ("holdfast-relay", "splice", errno.ENOMEM),
    ("holdfast-relay", "tee", errno.ENOMEM),
    ("holdfast-check", "open", errno.EMFILE),
    ("holdfast-check", "opendir", errno.ENOMEM),
    ("holdfast-gpu", "open", errno.EMFILE),
    ("holdfast-gpu", "memory", errno.ENOMEM),
]
MANY_OF_HELPERS = [("holdfast-check", "memory", errno.ENOMEM)]
LASTS = pytest.mark.parametrize("lasts", [False, True], ids=["once", "from then on"])


class Faults:
    """Runs a script under `holdfast run` while the n-th call of one kind fails in one process."""

    def __init__(self, holdfast, library, folder: Path):
        self.holdfast = holdfast
        self.library = library
        self.folder = folder
        self.around: list[str] = []  # in front of the command line
        self.more: dict[str, str] = {}  # in the environment
        self.options: list[str] = []
        self.script = SCRIPT
        self.sends_sigterm = False

    def environment(self, mark, kind, number, error, lasts=False, process=0):
        fault = f"{kind}:{number}:{error}" + (":on" if lasts else "")
        return self.holdfast.environment | {
            "LD_PRELOAD": str(self.library),
            "FAIL_CALL": fault,
            "FAIL_IN": str(process),
            "FAIL_MARK": str(mark),
            **self.more,
        }

    def run(self, kind, number, error, lasts=False, process=0):
        """Whether the n-th call was made, after the check that the program did not notice."""
        mark = self.folder / f"mark-{kind}-{number}-{lasts}-{process}"
        running = subprocess.Popen(
            [
                *self.around,
                *self.holdfast.line("/bin/sh", "-c", self.script, options=self.options),
            ],
            env=self.environment(mark, kind, number, error, lasts, process),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        first = b""
        try:
            if self.sends_sigterm:
                first = running.stdout.readline()
                running.send_signal(signal.SIGTERM)
            stdout, stderr = running.communicate(timeout=PATIENCE)
        finally:
            running.kill()  # does nothing to one that has ended
        check((kind, number, lasts, process), running.returncode, first + stdout, stderr)
        return mark.exists()

    def for_all(self, kind, error, lasts=False, process=0, first=1, step=1):
        """Every n, or every `step`-th, up to the first that no run reaches."""

        def one(number):
            return self.run(kind, number, error, lasts, process)

        assert one(first), f"no {kind} was refused: this tests nothing"
        with ThreadPoolExecutor(2) as pool:
            for number in range(first + step, MOST_CALLS, 8 * step):
                if not all(pool.map(one, range(number, number + 8 * step, step))):
                    return
        raise AssertionError(f"{kind}: {MOST_CALLS} calls were not all")

    def process(self, name: str) -> int:
        """Which process takes this name: the first, the second... that the supervisor makes."""
        names = self.folder / "names"
        asking = Faults(self.holdfast, self.library, self.folder)
        asking.more = self.more | {"FAIL_NAMES": str(names), "HELPER": name}
        asking.script = WAITS_FOR_NAME + SCRIPT
        asking.run("none", 1, 0)
        found = dict(reversed(line.split()) for line in names.read_text().splitlines())
        return int(found[name])


def check(fault, status, stdout, stderr):
    seen = (fault, status, stdout, stderr)
    assert status == 7, seen
    assert stdout == b"out\n", seen
    lines = stderr.splitlines()
    assert lines.count(b"err") == 1, seen
    # The verdict is one line; beside it at most one warning.
    assert len(lines) <= 3, seen
    assert sum(line.startswith(b"holdfast: ") for line in lines) <= 2, seen


@pytest.fixture(scope="session")
def failing_calls(compiler, tmp_path_factory):
    library = tmp_path_factory.mktemp("fail_call") / "fail_call.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", PROGRAMS / "fail_call.c", "-o", library, "-ldl"],
        check=True,
    )
    return library


@pytest.fixture
def faults(holdfast, failing_calls, tmp_path):
    return Faults(holdfast, failing_calls, tmp_path)


@pytest.fixture
def under_a_filter(faults, compiler, tmp_path):
    """Behind a filter Holdfast first tries what is allowed, in a child of its own."""
    made = tmp_path / "without_call"
    source = PROGRAMS / "without_call.c"
    subprocess.run([compiler, "-w", "-pthread", "-D_GNU_SOURCE", source, "-o", made], check=True)
    no_call = 999
    faults.around = [str(made), str(no_call), "0"]
    return faults


@pytest.fixture
def below_a_limit(faults, control_group):
    """A limit of memory, whose brink the supervisor watches."""
    group = control_group(memory=LIMIT)
    faults.around = group.inside()
    faults.version = 1 if (group.memory_folder / "memory.limit_in_bytes").exists() else 2
    return faults


@pytest.fixture
def with_a_gpu(faults):
    faults.more["FAIL_GPU"] = "1"
    return faults


@pytest.fixture
def with_helpers(with_a_gpu):
    with_a_gpu.script = WAITS_FOR_FAULT
    return with_a_gpu


def needs_version_for(kind, faults):
    if faults.version != {"eventfd": 1, "inotify": 2}[kind]:
        pytest.skip(f"cgroup v{faults.version} needs no {kind}")


@LASTS
@pytest.mark.parametrize("kind", OF_SUPERVISOR | MANY_OF_SUPERVISOR)
def test_the_first_refused_call_leaves_the_program_alone(faults, kind, lasts):
    first = 1 + (NEEDED_TO_THROW if kind == "memory" else 0)
    assert faults.run(kind, first, (OF_SUPERVISOR | MANY_OF_SUPERVISOR)[kind], lasts)


@pytest.mark.check
@LASTS
@pytest.mark.parametrize("kind", OF_SUPERVISOR)
def test_any_refused_call_leaves_the_program_alone(faults, kind, lasts):
    faults.for_all(kind, OF_SUPERVISOR[kind], lasts)


@pytest.mark.check
@LASTS
@pytest.mark.parametrize("share", range(1, SHARES + 1))
@pytest.mark.parametrize("kind", MANY_OF_SUPERVISOR)
def test_any_of_many_refused_calls_leaves_the_program_alone(faults, kind, share, lasts):
    first = share + (NEEDED_TO_THROW if kind == "memory" else 0)
    faults.for_all(kind, MANY_OF_SUPERVISOR[kind], lasts, first=first, step=SHARES)


@LASTS
@pytest.mark.parametrize("kind", WITHOUT_A_DISK)
def test_so_does_one_without_a_disk(faults, kind, lasts):
    faults.more["FAIL_ALSO"] = "fallocate"
    faults.for_all(kind, WITHOUT_A_DISK[kind], lasts)


@LASTS
@pytest.mark.parametrize("kind", UNDER_A_FILTER)
def test_so_does_one_while_filters_are_tried(under_a_filter, kind, lasts):
    under_a_filter.for_all(kind, UNDER_A_FILTER[kind], lasts)


@LASTS
@pytest.mark.parametrize("kind", BELOW_A_LIMIT)
def test_so_does_one_of_the_watch_below_a_limit(below_a_limit, kind, lasts):
    needs_version_for(kind, below_a_limit)
    below_a_limit.for_all(kind, BELOW_A_LIMIT[kind], lasts)


@pytest.mark.check
@LASTS
@pytest.mark.parametrize("kind", WITH_A_GPU)
def test_so_does_one_on_a_machine_with_a_gpu(with_a_gpu, kind, lasts):
    with_a_gpu.for_all(kind, WITH_A_GPU[kind], lasts)


@LASTS
@pytest.mark.parametrize(("name", "kind", "error"), OF_HELPERS + MANY_OF_HELPERS)
def test_the_first_refused_call_of_a_helper_leaves_the_program_alone(
    with_helpers, name, kind, error, lasts
):
    assert with_helpers.run(kind, 1, error, lasts, with_helpers.process(name))


@pytest.mark.check
@pytest.mark.parametrize(("name", "kind", "error"), OF_HELPERS)
def test_any_refused_call_of_a_helper_leaves_the_program_alone(with_helpers, name, kind, error):
    with_helpers.for_all(kind, error, process=with_helpers.process(name))


@pytest.mark.check
@pytest.mark.parametrize("share", range(1, SHARES + 1))
@pytest.mark.parametrize(("name", "kind", "error"), MANY_OF_HELPERS)
def test_any_of_many_refused_calls_of_a_helper_leaves_the_program_alone(
    with_helpers, name, kind, error, share
):
    process = with_helpers.process(name)
    with_helpers.for_all(kind, error, process=process, first=share, step=SHARES)


@pytest.mark.check
@LASTS
@pytest.mark.parametrize("share", range(1, SHARES + 1))
@pytest.mark.parametrize(("kind", "error"), [("memory", errno.ENOMEM), ("open", errno.EMFILE)])
def test_a_signal_reaches_the_program_all_the_same(faults, kind, error, share, lasts):
    faults.options = ["--quiet"]  # its verdict is longer than a line
    faults.script = WAITS_FOR_SIGTERM
    faults.sends_sigterm = True
    faults.more["FAIL_FROM"] = "signal"
    faults.for_all(kind, error, lasts, first=share, step=SHARES)


@LASTS
@pytest.mark.parametrize(("kind", "error"), [("fork", errno.EAGAIN), ("pipe2", errno.EMFILE)])
def test_a_kernel_that_cannot_be_watched_knows_its_true_parent(
    faults, tmp_path, kind, error, lasts
):
    (tmp_path / "kernel.json").write_text("{}")
    faults.options = ["--kernel", str(tmp_path / "kernel.json")]
    faults.more["JPY_PARENT_PID"] = str(os.getpid())
    faults.script = KNOWS_ITS_PARENT
    faults.for_all(kind, error, lasts)


def _ended(verdict):
    return verdict if verdict["outcome"] != "running" else None


def test_a_program_outlives_a_supervisor_that_crashes(holdfast, faults, tmp_path):
    running = holdfast.start(
        *program("echo_to_stderr.py"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=faults.environment(tmp_path / "mark", "crash", 2, 0),
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
