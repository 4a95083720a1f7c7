"""Differences of containers and environments from a plain machine: PID 1, virtual environments."""

import os
import shutil
import signal
import subprocess

import pytest

from support import proc
from support.run import PROGRAMS, PYTHON, eventually, finish, program


@pytest.fixture
def contained(holdfast):
    """The program under test as PID 1 of its own PID namespace."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("a PID namespace needs root and unshare(1)")
    return holdfast.inside(lambda: ["unshare", "--pid", "--fork", "--mount-proc"])


@pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "ABRT", "INT", "HUP"])
def test_as_pid_1_it_exits_with_128_and_the_signal(contained, holdfast, name):
    ended = contained.run("/bin/sh", "-c", f"echo $PPID; kill -{name} $$")
    number = getattr(signal, f"SIG{name}")
    assert ended.stdout == b"1\n"
    assert ended.returncode == 128 + number
    assert holdfast.why()["exit"] == {"code": None, "signal": f"SIG{name}"}


@pytest.mark.parametrize("code", [0, 3])
def test_as_pid_1_it_exits_as_the_program_did(contained, code):
    assert contained.run("/bin/sh", "-c", f"exit {code}").returncode == code


def test_as_pid_1_it_reaps_orphans(contained):
    running, _ = contained.start_ready(*program("leave_orphans.py"), stdin=subprocess.PIPE)
    (supervisor,) = proc.children(running.pid)
    eventually("orphans are reaped", lambda: not proc.zombies_of(supervisor))
    finish(running)
    assert running.returncode == 0


def test_as_pid_1_it_reaps_orphans_even_without_being_a_subreaper(contained):
    running, _ = contained.start_ready(
        *program("leave_orphans.py"), stdin=subprocess.PIPE, options=["--no-subreaper"]
    )
    (supervisor,) = proc.children(running.pid)
    eventually("orphans are reaped", lambda: not proc.zombies_of(supervisor))
    finish(running)
    assert running.returncode == 0


def test_as_pid_1_it_passes_on_the_signal_that_stops_a_container(contained, holdfast):
    running, _ = contained.start_ready(*program("wait.py"))
    (supervisor,) = proc.children(running.pid)
    os.kill(supervisor, signal.SIGTERM)
    finish(running)
    assert running.returncode == 128 + signal.SIGTERM
    verdict = holdfast.why()
    assert verdict["end"]["slug"] == "killed"
    assert verdict["exit"]["signal"] == "SIGTERM"


def test_an_oom_kill_is_recognised_in_a_container(contained, holdfast, control_group):
    group = control_group(memory=128 << 20)
    ended = contained.inside(group.inside).run(*program("leak.py"))
    assert ended.returncode == 128 + signal.SIGKILL
    verdict = holdfast.why()
    assert group.oom_kills == 1
    assert (verdict["end"]["slug"], verdict["end"]["confidence"]) == ("cgroup-oom", "certain")
    assert verdict["memory"]["limit_bytes"] == group.memory_limit


def test_a_virtual_environment_is_found_through_the_path(holdfast, tmp_path):
    here = tmp_path / "env"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", here], check=True)
    assert (here / "bin" / "python").is_symlink()
    environment = holdfast.environment | {"PATH": f"{here}/bin:{os.environ['PATH']}"}
    look = "import sys; print(sys.prefix, sys.executable, sys.version_info[:2])"
    unwatched = subprocess.run(["python", "-c", look], env=environment, capture_output=True)
    watched = holdfast.run("python", "-c", look, env=environment)
    assert watched.stdout == unwatched.stdout
    assert watched.stdout.split()[0] == os.fsencode(here)


def test_a_death_in_a_virtual_environment_names_the_users_line(holdfast, tmp_path):
    here = tmp_path / "env"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", here], check=True)
    verdict = holdfast.verdict_of(f"{here}/bin/python", str(PROGRAMS / "raises.py"), "library")
    assert verdict["end"]["slug"] == "exception"
    assert verdict["end"]["where"]["file"].endswith("raises.py")
