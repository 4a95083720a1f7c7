"""Crashes of every kind, on any thread: each is recorded, and each ends as it would have ended."""

import os
import re
import resource
import shutil
import signal
import subprocess

import pytest

from support.crash_box import read_crashes
from support.interpreters import each, need
from support.run import PATIENCE, PROGRAMS

# Kind, signal, si_code (None: sent).
FAULTS = [
    ("null", signal.SIGSEGV, 1),
    ("wild", signal.SIGSEGV, 128),
    ("jump", signal.SIGSEGV, 1),
    ("divide", signal.SIGFPE, 1),
    ("illegal", signal.SIGILL, 2),
    ("bus", signal.SIGBUS, 2),
    ("abort", signal.SIGABRT, None),
    ("double-free", signal.SIGABRT, None),
    ("heap", signal.SIGABRT, None),
    ("kill-SEGV", signal.SIGSEGV, None),
    ("raise-FPE", signal.SIGFPE, None),
]
THREADS = ["main", "thread"]


def built(compiler, folder, source, *options):
    program = folder / source.split(".")[0]
    line = [compiler, "-g", "-O1", "-fno-builtin", "-w", "-pthread", *options]
    subprocess.run([*line, PROGRAMS / source, "-o", program], check=True)
    return str(program)


@pytest.fixture(scope="session")
def plain(compiler, tmp_path_factory):
    return built(compiler, tmp_path_factory.mktemp("plain"), "crash_plain.c")


@pytest.fixture(scope="session")
def signals(compiler, tmp_path_factory):
    return built(compiler, tmp_path_factory.mktemp("signals"), "crash_signals.c")


@pytest.fixture(scope="session", params=[[], ["-no-pie"]], ids=["pie", "no pie"])
def exception(request, tmp_path_factory):
    compiler = shutil.which("c++") or shutil.which("g++")
    if not compiler:
        pytest.skip("no C++ compiler on this machine")
    folder = tmp_path_factory.mktemp("exception")
    return built(compiler, folder, "crash_exception.cc", "-std=c++17", *request.param)


@pytest.fixture
def unwatched(holdfast):
    def run(*command, **how):
        return subprocess.run(
            command,
            capture_output=True,
            timeout=PATIENCE,
            env=holdfast.environment,
            stdin=subprocess.DEVNULL,
            **how,
        )

    return run


@pytest.fixture
def compare(holdfast, unwatched, tmp_path):
    """Runs a command with and without us; checks that nothing else differs, and returns the
    records."""

    def both_ways(*command, **how):
        without = unwatched(*command, **how)
        watched = holdfast.run(*command, **how)
        assert (watched.returncode, watched.stdout) == (without.returncode, without.stdout)
        run = holdfast.runs()[-1]
        if not (run / "crash.box").exists():
            # A run that ends well keeps no boxes, so this copies one before the end.
            script = 'box="$1"; shift; "$@"; cp "$HOLDFAST_HOME"/runs/*/crash.box "$box"'
            holdfast.run("sh", "-c", script, "sh", str(tmp_path), *command, **how)
            run = tmp_path
        return read_crashes(run)

    return both_ways


def only(crashes):
    assert len(crashes) == 1, crashes
    return crashes[0]


def module_of(crash, address):
    for line in crash.modules:
        places, _, _, path = line.split(" ", 3)
        start, end = (int(place, 16) for place in places.split("-"))
        if start <= address < end:
            return path
    return None


# Without a handler


@pytest.mark.parametrize("thread", THREADS)
@pytest.mark.parametrize(("kind", "number", "code"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_crash_is_recorded_and_ends_the_program_the_same_way(
    compare, plain, kind, number, code, thread
):
    crash = only(compare(plain, kind, thread))
    assert (crash.state, crash.signal) == ("complete", number)
    if code is None:
        assert crash.code <= 0
        assert crash.sender_pid == crash.pid
    else:
        assert crash.code == code
    assert any(line.endswith(" " + plain) for line in crash.modules)
    assert crash.stack_low <= crash.sp < crash.stack_high
    assert crash.stack_from == crash.sp
    if kind == "null":
        assert crash.address == 0
        assert module_of(crash, crash.pc) == plain
        assert crash.instruction
    if kind != "kill-SEGV":  # any thread may get a signal sent to the process
        assert len(crash.threads) == (2 if thread == "thread" else 1)
        assert (crash.tid == crash.pid) == (thread == "main")


@pytest.mark.parametrize(
    ("kind", "text"), [("double-free", "double free"), ("heap", "invalid pointer")]
)
def test_the_c_librarys_last_words_are_kept(compare, plain, kind, text):
    assert text in only(compare(plain, kind)).abort


@pytest.mark.parametrize("thread", THREADS)
def test_an_exhausted_stack_is_recorded(compare, plain, thread):
    crash = only(compare(plain, "deep", thread))
    assert (crash.state, crash.signal) == ("complete", signal.SIGSEGV)
    # The address lies in the guard just below the stack, or in the frame that crossed it.
    assert -(1 << 20) < crash.address - crash.stack_low < 4096
    assert "deeper" in crash.native


def test_the_stack_is_unwound_and_its_copy_erased(compare, plain):
    crash = only(compare(plain, "null"))
    assert [line.split("\t")[2] for line in crash.native.splitlines()][:3] == [
        "crash_now",
        "run",
        "main",
    ]
    assert crash.stack == b""


def test_a_core_is_still_dumped(holdfast, plain, tmp_path):
    def dumps():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard != resource.RLIM_INFINITY and os.geteuid() != 0:
        pytest.skip("core dumps are forbidden here")
    # The shell reports it: the supervisor itself must not leave a second core.
    script = f"cd {tmp_path}; {plain} null; true"
    ended = holdfast.run("bash", "-c", script, text=True, preexec_fn=dumps)
    assert "core dumped" in ended.stderr


# With a handler of the program's own


@pytest.mark.parametrize("thread", THREADS)
@pytest.mark.parametrize("kind", ["null", "divide", "illegal", "bus", "abort", "double-free"])
@pytest.mark.parametrize(
    ("how", "state"),
    [
        ("own", "complete"),
        ("own-stack", "complete"),
        ("returns", "complete"),
        ("once", "complete"),
        ("leaves", "complete"),
        ("jumps", "survived"),
    ],
)
def test_the_programs_own_handler_does_what_it_did(compare, plain, kind, thread, how, state):
    crash = only(compare(plain, kind, thread, how))
    assert crash.state == state
    if kind not in ("abort", "double-free"):
        assert crash.code > 0, "the signal raised again has taken the place of the fault"


@pytest.mark.parametrize("how", ["own", "own-stack", "returns", "jumps", "leaves", "ignored"])
@pytest.mark.parametrize("thread", THREADS)
def test_an_exhausted_stack_ends_as_before_whatever_handler_there_is(compare, plain, thread, how):
    compare(plain, "deep", thread, how)


@pytest.mark.parametrize("kind", ["null", "abort", "kill-SEGV", "raise-FPE"])
def test_what_is_ignored_stays_ignored(compare, plain, kind):
    assert compare(plain, kind, "main", "ignored") == []


def test_a_program_that_uses_faults_as_a_tool_goes_on(compare, signals):
    assert only(compare(signals, "tool")).state == "survived"


def test_a_real_crash_after_many_survived_ones_is_recorded(compare, signals):
    crash = only(compare(signals, "tool-then-crash"))
    assert (crash.state, crash.address) == ("complete", 0)


# What a program can see


@pytest.mark.parametrize(
    "case",
    [
        "queries",
        "alternate-stacks",
        "vfork",
        "fork",
        "spawn",
        "interruptions",
        "many-threads",
    ],
)
def test_a_program_sees_its_own_signals_as_before(compare, signals, case):
    for crash in compare(signals, case):
        assert crash.state == "survived" or case == "queries"


# Awkward moments


def test_many_threads_crashing_at_once_leave_one_record(compare, signals):
    crash = only(compare(signals, "many-at-once"))
    assert crash.state == "complete"
    assert len(crash.threads) == 17


def test_a_crash_without_a_free_descriptor_still_lists_modules(compare, signals):
    crash = only(compare(signals, "no-descriptors"))
    assert any("libc" in line for line in crash.modules)


def test_what_nobody_read_of_stderr_is_kept(compare, signals):
    crash = only(compare(signals, "unread-stderr"))
    assert crash.unread.endswith("line 2999\nlast words\n")


@pytest.mark.parametrize("size", [0, 4096, 8192, 100_000, 150_000])
def test_a_crash_of_the_recording_itself_does_not_change_the_end(holdfast, signals, size):
    script = f"""for box in {holdfast.home}/runs/*/crash.box; do
                     {signals} torn-file "$box" {size}; echo $?; done"""
    ended = holdfast.run("bash", "-c", script, text=True)
    assert ended.stdout == f"{128 + signal.SIGABRT}\n"


def test_a_crash_in_a_child_is_the_childs(holdfast, plain):
    holdfast.run("sh", "-c", f"{plain} null; echo {plain} abort thread; {plain} abort thread; true")
    first, second = read_crashes(holdfast.runs()[-1])
    assert (first.signal, second.signal) == (signal.SIGSEGV, signal.SIGABRT)
    assert first.pid != second.pid


# C++ exceptions


@pytest.mark.parametrize("thread", [[], ["thread"]], ids=["main", "thread"])
@pytest.mark.parametrize(
    ("kind", "name", "what"),
    [
        ("runtime-error", "St13runtime_error", "loss is not finite"),
        ("many-bases", "N8training8BadBatchE", "batch 17"),
        ("virtual-base", "N8training8BadShapeE", "shape (3, 4)"),
        ("text", "PKc", "just text"),
        ("string", r"NSt7__cxx1112basic_string.*|Ss", "just a string"),
        ("number", "i", ""),
        ("plain", "N8training5PlainE", ""),
        ("noexcept", "St11logic_error", "broken promise"),
        ("rethrown", "St12out_of_range", "row 5"),
        ("again", "St11range_error", "first"),
        ("hangs", "N8training6SilentE", ""),
        ("crashes", "N8training6BrokenE", ""),
        ("caught-before", "", ""),
    ],
)
def test_an_uncaught_exception_tells_its_type_and_what_it_says(
    compare, exception, kind, name, what, thread
):
    crash = only(compare(exception, kind, *thread))
    assert (crash.state, crash.signal) == ("complete", signal.SIGABRT)
    assert re.fullmatch(name, crash.exception_type)
    assert crash.exception_what == what


# Python


def python_line(marker):
    lines = (PROGRAMS / "crash_python.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if marker in line)


PYTHON_CRASHES = {
    "read-null": (signal.SIGSEGV, "ctypes.string_at(0)"),
    "abort": (signal.SIGABRT, "os.abort()"),
    "raise-BUS": (signal.SIGBUS, "signal.pthread_kill("),
    "raise-ILL": (signal.SIGILL, "signal.pthread_kill("),
    "raise-FPE": (signal.SIGFPE, "signal.pthread_kill("),
}


@each()
@pytest.mark.parametrize("thread", THREADS)
@pytest.mark.parametrize("kind", PYTHON_CRASHES)
@pytest.mark.parametrize("how", ["none", "faulthandler"])
def test_python_crashes_with_its_lines(compare, version, kind, thread, how):
    number, marker = PYTHON_CRASHES[kind]
    program = str(PROGRAMS / "crash_python.py")
    crash = only(compare(need(version), program, kind, thread, how))
    assert (crash.state, crash.signal) == ("complete", number)
    own_frames = []
    for line in crash.python[1:]:
        if line.startswith("T "):
            break
        own_frames.append(line)
    assert crash.python[0].startswith(f"T {crash.tid} ")
    assert f"F {python_line(marker)}\t{program}\tcrash_here" in own_frames


@each()
@pytest.mark.parametrize("thread", THREADS)
def test_a_handler_written_in_python_runs(compare, version, thread):
    program = str(PROGRAMS / "crash_python.py")
    assert only(compare(need(version), program, "raise-BUS", thread, "own")).state == "survived"


@each()
def test_faulthandler_still_prints_its_traceback(holdfast, version):
    program = str(PROGRAMS / "crash_python.py")
    ended = holdfast.run(need(version), program, "read-null", "thread", "faulthandler", text=True)
    assert "Fatal Python error: Segmentation fault" in ended.stderr
    line = python_line("ctypes.string_at(0)")
    assert f'File "{program}", line {line} in crash_here' in ended.stderr


def test_the_verdict_names_the_crash(holdfast, plain):
    verdict = holdfast.verdict_of(plain, "null")
    assert verdict["end"]["code"] == "HF301"
    assert verdict["end"]["confidence"] == "certain"
    library, symbol = verdict["native_stack"][0]["library"], verdict["native_stack"][0]["symbol"]
    assert library.endswith("crash_plain")
    assert symbol == "crash_now"
