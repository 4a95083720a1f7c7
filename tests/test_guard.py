"""The guard, with real programs in real cgroups that die without it or are never in danger."""

import contextlib
import os
import random
import signal
import subprocess
import time

import pytest

from support.run import PATIENCE, eventually, program

MIB = 1 << 20
LIMIT = 192 * MIB


@pytest.fixture
def group(control_group):
    return control_group(memory=LIMIT)


@pytest.fixture
def inside(holdfast, group):
    """Holdfast in the group; the program finds its folder in HF_GROUP."""
    return holdfast.inside(group.inside)


def environment(holdfast, group, **more: str) -> dict[str, str]:
    return holdfast.environment | {"HF_GROUP": str(group.memory_folder)} | more


@pytest.mark.parametrize("way", ["blocks", "objects", "one_huge"])
def test_what_would_be_killed_gets_a_memory_error_and_goes_on(inside, group, way):
    ended = inside.run(*program("guard_grow.py", way, 3), options=["--guard=on"], text=True)
    assert ended.stdout.splitlines() == ["survived"] * 3, ended.stderr
    assert ended.returncode == 0
    assert group.oom_kills == 0


def test_the_same_program_is_killed_without_the_guard(inside, group):
    ended = inside.run(*program("guard_grow.py", "blocks"), options=["--guard=off"])
    assert ended.returncode == -signal.SIGKILL
    assert group.oom_kills == 1


def test_warn_says_so_once_and_refuses_nothing(inside, group):
    ended = inside.run(*program("guard_grow.py", "blocks"), options=["--guard=warn"], text=True)
    assert ended.returncode == -signal.SIGKILL
    assert ended.stderr.count("guard: would have refused") == 1
    assert "guard_grow.py:" in ended.stderr
    assert group.oom_kills == 1


def test_warn_says_nothing_of_address_space_that_is_never_touched(inside):
    sparse = "import lzma; print(len(lzma.compress(bytes(200_000), preset=9)) > 0)"
    ended = inside.run("python3", "-c", sparse, text=True)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("True\n", "", 0)


def test_a_run_that_ends_by_a_refusal_has_it_as_its_end_with_the_line(inside):
    inside.run(*program("guard_grow.py", "blocks", 0, "raise"), options=["--guard=on"])
    verdict = inside.why()
    assert verdict["end"]["code"] == "HF114"
    assert verdict["end"]["confidence"] == "certain"
    assert verdict["end"]["where"]["file"].endswith("guard_grow.py")
    assert verdict["end"]["where"]["function"].startswith("blocks")


def test_what_is_freed_after_a_refusal_is_still_told(inside):
    inside.run(*program("clears_and_raises.py"), options=["--guard=on"])
    verdict = inside.why()
    assert verdict["end"]["code"] == "HF114"
    assert verdict["root"]["slug"] in ("host-leak", "dataset-in-ram")
    assert verdict["root"]["where"]["text"].endswith("# mark: fills")
    lines = verdict["memory"]["top_sites"]
    assert lines[0]["live_bytes"] > LIMIT // 2
    assert sum(line["live_bytes"] for line in lines) <= LIMIT
    assert not any(also["slug"] == "alloc-refused" for also in verdict["contributing"])


@pytest.mark.parametrize(
    "sparse",
    [
        "bytes(300 << 20)",
        "__import__('lzma').compress(bytes(200_000), preset=9)",
        "__import__('mmap').mmap(-1, 1 << 30)",
    ],
)
def test_address_space_that_is_never_touched_is_not_refused(inside, sparse):
    ended = inside.run(
        "python3", "-c", f"{sparse}; print('made')", options=["--guard=on"], text=True
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("made\n", "", 0)


def test_a_program_that_is_not_python_is_never_refused(inside, group):
    """It is killed as without us: nobody knows how it would handle a refusal."""
    script = "x=$(head -c 300M /dev/zero | tr '\\0' x); echo ${#x}"
    ended = inside.run("bash", "-c", script, options=["--guard=on"], text=True)
    assert ended.returncode != 0
    assert group.oom_kills >= 1
    assert "guard: refused" not in ended.stderr


def test_a_thread_out_of_memory_never_leaves_the_main_thread_waiting(inside, group):
    """The main thread gets an error as well; or, if too late, it is killed as without us."""
    code = (
        "import queue, threading\n"
        "def grow():\n"
        "    held = []\n"
        "    while True: held.append(bytearray(b'x') * (1 << 20))\n"
        "threading.Thread(target=grow, daemon=True).start()\n"
        "queue.Queue().get()\n"
    )
    ended = inside.run("python3", "-c", code, options=["--guard=on"], text=True)
    if group.oom_kills == 0:
        assert ended.returncode == 1, ended.stderr
        assert "BrinkError" in ended.stderr
    else:
        assert ended.returncode == -signal.SIGKILL, ended.stderr


def test_the_environment_switches_the_guard_as_the_option_does(inside, holdfast, group):
    killed = -signal.SIGKILL
    # Empty counts as unset: then it warns.
    for variable, status in (("on", 0), ("", killed), ("warn", killed), ("off", killed)):
        ended = inside.run(
            *program("guard_grow.py", "blocks"),
            env=environment(holdfast, group, HOLDFAST_GUARD=variable),
        )
        assert ended.returncode == status


@pytest.mark.parametrize(
    "option", ["--guard=maybe", "--guard-reserve=much", "--guard-reserve=5", "--guard-grace=soon"]
)
def test_a_guard_that_makes_no_sense_is_bad_usage(holdfast, option):
    ended = holdfast.run("true", options=[option], text=True)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1


def test_workers_that_share_a_limit_get_errors_and_their_parent_lives(inside, group):
    code = (
        "import multiprocessing as m\n"
        "def grow(_):\n"
        "    return len([bytearray(b'x') * (4 << 20) for _ in range(1 << 20)])\n"
        "if __name__ == '__main__':\n"
        "    with m.get_context('fork').Pool(4) as pool:\n"
        "        try: pool.map(grow, range(4), chunksize=1)\n"
        "        except MemoryError: print('caught')\n"
    )
    ended = inside.run("python3", "-c", code, options=["--guard=on"], text=True)
    assert ended.stdout == "caught\n", ended.stderr
    assert group.oom_kills == 0


@pytest.mark.parametrize(
    ("made", "mapped"),
    [
        ("m.get_context('fork').Pool(2)", "pool.map(grow, range(2), chunksize=1)"),
        (
            "ProcessPoolExecutor(2, mp_context=m.get_context('fork'))",
            "list(pool.map(grow, range(2)))",
        ),
    ],
)
def test_a_workers_refusal_reaches_its_parent_and_the_verdict_names_it(inside, group, made, mapped):
    code = (
        "import multiprocessing as m\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "def grow(_):\n"
        "    return len([bytes([1]) * (2 << 20) for _ in range(1 << 20)])\n"
        "if __name__ == '__main__':\n"
        f"    with {made} as pool: {mapped}\n"
    )
    ended = inside.run("python3", "-c", code, options=["--guard=on"], text=True)
    assert ended.returncode == 1, ended.stderr
    assert group.oom_kills == 0
    assert "RemoteTraceback" in ended.stderr
    end = inside.why()["end"]
    assert end["slug"] == "guard-refused"
    assert "a worker" in end["summary"]


STRANGER = """
import sys, time
held = b"x" * (int(sys.argv[1]) << 20)
print("ready", flush=True)
time.sleep(3600)
"""


def beside_stranger(inside, group, megabytes):
    """A program that grows by 50 MiB beside one that Holdfast does not watch."""
    stranger = subprocess.Popen(
        group.inside("python3", "-c", STRANGER, str(megabytes)), stdout=subprocess.PIPE
    )
    try:
        assert stranger.stdout.readline() == b"ready\n"
        grow = "print(len([bytearray(b'x') * (1 << 20) for _ in range(50)]))"
        ended = inside.run("python3", "-c", grow, options=["--guard=on"], text=True)
        return ended, stranger.poll()
    finally:
        stranger.kill()
        stranger.wait()


def test_a_program_is_not_refused_what_the_kernel_takes_from_a_stranger(inside, group):
    ended, stranger = beside_stranger(inside, group, 160)
    assert (ended.stdout, ended.returncode) == ("50\n", 0), ended.stderr
    assert stranger == -signal.SIGKILL  # as it would have been without us


def test_a_program_is_left_alone_beside_a_stranger_that_leaves_room(inside, group):
    ended, stranger = beside_stranger(inside, group, 60)
    assert (ended.stdout, stranger) == ("50\n", None), ended.stderr


class Filled:
    """A healthy program that sits close to its limit while something happens around it."""

    def __init__(self, inside, holdfast, group, share=0.95, seconds=4.0, options=()):
        self.running, self.pid = inside.start_ready(
            *program("guard_fill.py", share, seconds),
            options=["--guard=on", *options],
            env=environment(holdfast, group),
            stderr=subprocess.PIPE,
        )
        self.page = eventually("the page", lambda: next(holdfast.home.glob("runs/*/guard.box"), 0))

    def must_finish(self):
        output, errors = self.running.communicate(timeout=PATIENCE)
        assert b"finished" in output, errors
        assert b"guard: refused" not in errors

    def program_must_finish(self):
        """If the supervisor is gone, asks its program instead."""
        assert self.running.stdout.readline().startswith(b"finished")


def test_a_healthy_program_near_its_limit_is_left_alone(inside, holdfast, group):
    Filled(inside, holdfast, group, seconds=0.5).must_finish()


def test_it_goes_on_when_the_page_is_overwritten_with_noise(inside, holdfast, group):
    filled = Filled(inside, holdfast, group, seconds=2.0)
    noise = random.Random(4)
    with filled.page.open("r+b") as page:
        for _ in range(60):
            page.seek(0)
            page.write(noise.randbytes(filled.page.stat().st_size))
            page.flush()
            time.sleep(0.02)
    filled.must_finish()


@pytest.mark.parametrize("offset", [8, 16, 32, 2000])
def test_it_goes_on_when_one_word_of_the_page_is_damaged(inside, holdfast, group, offset):
    filled = Filled(inside, holdfast, group, seconds=1.0)
    with filled.page.open("r+b") as page:
        for value in (b"\xff" * 8, b"\x01" + b"\x00" * 7, b"\x00" * 8):
            page.seek(offset)
            page.write(value)
            page.flush()
            time.sleep(0.1)
    filled.must_finish()


def test_it_goes_on_when_the_supervisor_is_killed(inside, holdfast, group):
    filled = Filled(inside, holdfast, group, seconds=3.0, options=["--detach"])
    filled.running.kill()
    filled.program_must_finish()


def test_it_goes_on_when_the_supervisor_is_paused(inside, holdfast, group):
    # Until its page is too old to be used.
    filled = Filled(inside, holdfast, group, seconds=12.0)
    filled.running.send_signal(signal.SIGSTOP)
    filled.program_must_finish()
    filled.running.send_signal(signal.SIGCONT)
    assert filled.running.wait(PATIENCE) == 0


def test_it_goes_on_when_the_limit_is_raised_and_lowered(inside, holdfast, group):
    filled = Filled(inside, holdfast, group, share=0.8, seconds=3.0)
    for factor in (2.0, 1.0, 4.0, 0.9, 1.0):
        group.set_memory_limit(int(LIMIT * factor))
        time.sleep(0.3)
    filled.must_finish()


def test_a_limit_lowered_while_running_counts_from_then_on(inside, holdfast, control_group):
    wide = control_group(memory=4 * LIMIT)
    running, pid = holdfast.inside(wide.inside).start_ready(
        *program("guard_fill.py", 0.2, 1.0),
        options=["--guard=on"],
        env=environment(holdfast, wide),
    )
    wide.set_memory_limit(LIMIT)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
    output, _ = running.communicate(timeout=PATIENCE)
    assert b"finished" in output
    assert running.returncode == 0
