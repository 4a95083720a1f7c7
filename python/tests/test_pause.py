"""Children are stopped and go on; nobody else is signalled."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast import _held_process
from holdfast._held_process import HeldProcess, start_of, stat_fields
from holdfast._pause import children_paused

WAITS = [sys.executable, "-c", "import sys; sys.stdin.read()"]
# Stops its child, says so, and is killed before it can continue it.
DIES_PAUSED = """
import subprocess, sys, time
from holdfast._pause import children_paused
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=0)
with children_paused() as stopped:
    print(child.pid, child.pid in stopped, flush=True)
    time.sleep(1000)
"""


def state(pid):
    return (stat_fields(pid) or ["X"])[0]


def eventually(look):
    while not look():
        time.sleep(0.005)


@pytest.fixture(params=["pidfd", "start time"])
def way(request, monkeypatch):
    if request.param == "start time":  # Python 3.8, or an older kernel
        monkeypatch.setattr(_held_process, "_open_pidfd", None)
    elif _held_process._open_pidfd is None:
        pytest.skip("this Python knows no pidfds")


@pytest.fixture
def child():
    running = subprocess.Popen(WAITS, stdin=subprocess.PIPE)
    yield running
    running.kill()
    running.communicate()


def test_children_stand_still_for_the_pause_and_then_go_on(way, child):
    with children_paused() as stopped:
        assert stopped == [child.pid]
        assert state(child.pid) == "T"
    eventually(lambda: state(child.pid) != "T")
    child.stdin.close()
    assert child.wait() == 0


def test_one_that_stood_still_before_is_left_alone(way, child):
    child.send_signal(signal.SIGSTOP)
    eventually(lambda: state(child.pid) == "T")
    with children_paused() as stopped:
        assert stopped == []
    assert state(child.pid) == "T"


def test_children_go_on_when_who_paused_them_is_killed():
    environment = os.environ | {"PYTHONPATH": str(Path(_held_process.__file__).parents[1])}
    pausing = subprocess.Popen(
        [sys.executable, "-c", DIES_PAUSED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    pid, was_stopped = pausing.stdout.readline().split()
    assert was_stopped == b"True"
    assert state(int(pid)) == "T"
    pausing.kill()
    pausing.wait()
    eventually(lambda: state(int(pid)) != "T")
    pausing.stdin.close()
    pausing.stdout.close()


def test_a_process_that_has_the_pid_of_another_is_not_signalled(child):
    assert HeldProcess(child.pid, str(int(start_of(child.pid)) + 1)).send(signal.SIGKILL) is False
    assert child.poll() is None
    assert HeldProcess(child.pid, start_of(child.pid)).send(signal.SIGKILL) is True
    assert child.wait() == -signal.SIGKILL


def test_one_that_has_ended_gets_no_signal(way, child):
    held = HeldProcess.open(child.pid)
    child.stdin.close()
    child.wait()
    assert held.send(signal.SIGCONT) is False
    held.close()


@pytest.mark.parametrize("pid", [-1, 0, 1])
def test_nothing_holds_what_would_be_everybody_or_init(pid):
    assert HeldProcess.open(pid) is None
    with pytest.raises(AssertionError):
        HeldProcess(pid, "0")


def test_nothing_holds_itself():
    assert HeldProcess.open(os.getpid()) is None
    with pytest.raises(AssertionError):
        HeldProcess(os.getpid(), "0")
