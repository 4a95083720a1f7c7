"""The agent harms no program in these ways: the C programs in tests/programs run plain and
watched."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from support import agent_box
from support.run import PATIENCE, PROGRAMS, PYTHON, Holdfast


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
    assert (
        watch(build("harm_small_stack.c"), "1500").output == "posix_spawn 0 0\nposix_spawnp 0 0\n"
    )


@pytest.mark.parametrize("size", [6144, 8192, 16384])
def test_a_coroutine_needs_no_more_stack(watch, build, size):
    assert watch(build("harm_coroutine.c"), str(size)).output == "came back\n"


def test_the_other_preloads_stay_for_children_in_their_order(library, tmp_path):
    """Also if the program hands on an environment that still shows us."""
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


@pytest.fixture
def run_folder(tmp_path) -> Path:
    """The folder of a run, as the supervisor makes it."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    for name, size in (("agent.box", agent_box.SIZE), ("crash.box", 16 << 20)):
        with (folder / name).open("wb") as file:
            file.truncate(size)
        (folder / name).chmod(0o600)
    return folder


@pytest.fixture
def inside(library, run_folder):
    """Runs a command with the agent and these boxes."""

    def run(*command, **how) -> subprocess.CompletedProcess:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        clean |= {"HOLDFAST_RUN": str(run_folder), "LD_PRELOAD": str(library)}
        return subprocess.run(
            list(map(str, command)),
            env=clean,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            **how,
        )

    return run


def someone_elses(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("files of another user need root")
    os.chown(folder, 65534, 65534)


def someone_elses_box(folder: Path) -> None:
    someone_elses(folder / "agent.box")


def open_to_all(folder: Path) -> None:
    folder.chmod(0o777)


def box_open_to_group(folder: Path) -> None:
    (folder / "agent.box").chmod(0o660)


def linked(folder: Path) -> None:
    (folder / "agent.box").rename(folder / "elsewhere")
    (folder / "agent.box").symlink_to(folder / "elsewhere")


def cut_short(folder: Path) -> None:
    with (folder / "agent.box").open("r+b") as file:
        file.truncate(agent_box.SIZE // 2)


SHOW_BOXES = "print([line.split()[-1] for line in open('/proc/self/maps') if 'agent.box' in line])"


def test_a_box_of_ones_own_is_used(inside):
    assert "agent.box" in inside(PYTHON, "-c", SHOW_BOXES).stdout


@pytest.mark.parametrize(
    "spoil", [someone_elses, someone_elses_box, open_to_all, box_open_to_group, linked, cut_short]
)
def test_a_box_that_others_could_have_made_is_not_touched(inside, run_folder, spoil):
    spoil(run_folder)
    ended = inside(PYTHON, "-c", SHOW_BOXES)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("[]\n", "", 0)


@pytest.mark.parametrize(
    "words",
    [
        [agent_box.Slot.text_size.offset],
        [agent_box.Slot.frame_count.offset],
        [agent_box.Slot.memory.offset + agent_box.Memory.site_count.offset],
        [agent_box.Slot.memory.offset + agent_box.Memory.window_count.offset],
    ],
    ids=["text_size", "frame_count", "site_count", "window_count"],
)
def test_no_figure_in_the_box_leads_astray(inside, words):
    layout = [2 * agent_box.PAGE, agent_box.SLOT_SPACE]
    ended = inside(PYTHON, PROGRAMS / "harm_scribble.py", *words, *layout)
    assert (ended.stdout, ended.returncode) == ("unharmed\n", 0), ended.stderr


@pytest.mark.parametrize("case", ["deep", "nested", "jump", "reported", "own", "suspend", "storm"])
def test_handlers_run_on_the_stack_they_had_before(watch, build, case):
    """A program that sets no alternate stack sees none, although we keep one for crashes."""
    assert watch(build("harm_stack.c"), case).status == 0


def test_a_handler_on_a_small_stack_can_abort(watch, build):
    ended = watch(build("harm_stack.c"), "overflow")
    assert (ended.status, ended.output) == (-signal.SIGABRT, "told\n")


FILTERS = ["prctl", "syscall", "syscall-prctl", "strict"]
GUARDS = ["on", "warn", "off"]


@pytest.mark.parametrize("way", [*FILTERS, "probe"])
def test_a_filter_of_the_usual_calls_meets_no_other(watch, build, way):
    assert watch(build("harm_seccomp.c"), way).status == 0


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("way", FILTERS)
def test_nor_with_a_guard(holdfast, build, way, guard):
    ended = holdfast.run(build("harm_seccomp.c"), way, options=[f"--guard={guard}"], text=True)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout


@pytest.mark.parametrize("guard", GUARDS)
def test_a_python_program_under_a_filter_goes_on(holdfast, guard):
    ended = holdfast.run(
        PYTHON, PROGRAMS / "harm_seccomp.py", options=[f"--guard={guard}"], text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "worked on\n", "")


ALLOCATE = """
import time
end = time.monotonic() + 0.5
while time.monotonic() < end:
    kept = [bytearray(700 << 10) for _ in range(20)]
print(open("/proc/self/maps").read().count("libholdfast_agent"))
"""


def test_a_program_started_under_a_filter_is_left_alone(holdfast, build):
    ended = holdfast.run(build("harm_seccomp.c"), "prctl", PYTHON, "-c", ALLOCATE, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0\n", "")


def test_also_when_a_static_program_set_the_filter(holdfast, compiler, tmp_path):
    launcher = tmp_path / "launcher"
    flags = ["-static", "-D_GNU_SOURCE", "-w", "-pthread"]
    source = str(PROGRAMS / "harm_seccomp.c")
    if subprocess.run([compiler, *flags, source, "-o", str(launcher)], check=False).returncode:
        pytest.skip("no static libc on this machine")
    ended = holdfast.run(launcher, "prctl", PYTHON, "-c", ALLOCATE, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    # Through a shell, which has the agent and starts the launcher.
    line = f"{launcher} prctl {PYTHON} -c '{ALLOCATE}'; true"
    ended = holdfast.run("sh", "-c", line, text=True)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    assert ended.stdout.strip().isdigit()


def test_a_filter_that_was_there_before_us_is_no_reason(build, holdfast):
    """As in a container: the supervisor is under it, too."""
    if os.uname().machine != "x86_64":
        pytest.skip("the filter is written for x86_64")
    code = "import ctypes; ctypes.string_at(0)"
    wrapped = Holdfast(holdfast.binary, holdfast.home, [PYTHON, str(PROGRAMS / "under_filter.py")])
    ended = wrapped.run(PYTHON, "-c", code, text=True)
    assert ended.returncode != 0
    assert wrapped.why()["end"]["slug"] == "segfault"


@pytest.mark.parametrize("limit", ["-d 4000", "-d 20000", "-v 60000", "-v 100000"])
def test_little_memory_is_left_to_the_program(watch, limit):
    """Whatever the limit lets a plain Python do, a watched one does."""
    line = f"ulimit {limit}; exec {PYTHON} -I -S -c 'print(len(bytes(500000)))'"
    watch("sh", "-c", line)
    line = f"ulimit {limit}; {PYTHON} -I -S -c 'print(len(bytes(500000)))'; echo $?"
    watch("sh", "-c", line)


REACHED = "reached everything, cancelled 1, lock 0\nprogram 0\n"


def test_a_thread_is_cancelled_only_where_it_would_be(watch, build):
    assert watch(build("harm_cancel.c")).output == REACHED


@pytest.mark.parametrize("stack", [[], ["16384"]], ids=["", "tiny stack"])
@pytest.mark.parametrize("guard", GUARDS)
def test_also_with_a_guard_and_on_a_tiny_stack(holdfast, build, stack, guard):
    ended = holdfast.run(build("harm_cancel.c"), *stack, options=[f"--guard={guard}"], text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, REACHED, "")
