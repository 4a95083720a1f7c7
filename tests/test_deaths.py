"""Real deaths, each with the verdict it must get. A wrong certain verdict is the worst bug."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from support import kernel_log
from support.run import PROGRAMS, PYTHON, finish, program, ready_pid, text_of

MIB = 1 << 20
LIMIT = 128 * MIB
OUT_OF_MEMORY = {"cgroup-oom", "host-oom", "oom-victim", "worker-oom", "userspace-oom"}
BY_HAND = {"killed", "unknown-kill"}


def limited(limit: str, *command: str) -> list[str]:
    """A command under `ulimit`."""
    return ["/bin/bash", "-c", f'ulimit {limit} && exec "$@"', "bash", *command]


def line_of(file: str, marker: str) -> int:
    lines = (PROGRAMS / file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if marker in line)


SURE = {"certain"}
SURE_ENOUGH = {"certain", "likely"}


def check_end(verdict, code, slug, confidence=SURE):
    assert (verdict["end"]["code"], verdict["end"]["slug"]) == (code, slug), verdict["end"]
    assert verdict["end"]["confidence"] in confidence, verdict["end"]
    assert verdict["outcome"] == "died"


def check_not_out_of_memory(verdict):
    for part in ("end", "root"):
        assert verdict[part]["slug"] not in OUT_OF_MEMORY, verdict[part]


# Memory


@pytest.mark.parametrize(
    "command",
    [
        program("leak.py"),
        ["/bin/sh", "-c", f"{PYTHON} {PROGRAMS}/leak.py; exit $?"],
        ["/bin/sh", "-c", f"exec {PYTHON} {PROGRAMS}/leak.py"],
        ["env", "A=1", "nice", *program("leak.py")],
    ],
    ids=["itself", "below a shell", "after a shell", "after env and nice"],
)
def test_a_leak_killed_at_the_cgroups_limit_is_cgroup_oom_with_the_limits_figures(
    holdfast, control_group, command
):
    group = control_group(memory=LIMIT)
    ended = holdfast.inside(group.inside).run(*command)
    verdict = holdfast.why()
    assert group.oom_kills >= 1  # perhaps also our own sentry, in our place
    check_end(verdict, "HF101", "cgroup-oom")
    assert verdict["process"]["role"] == "main"
    assert "leak.py" in verdict["process"]["command"]
    assert verdict["memory"]["limit_bytes"] == group.memory_limit
    assert 0.9 * LIMIT <= verdict["memory"]["peak_bytes"] <= LIMIT
    assert re.search("oom_kill|Killed process", text_of(verdict["end"]))
    assert "128 MiB" in verdict["end"]["summary"]
    assert verdict["end"]["fixes"]
    assert b"HF101" in ended.stderr


SCORES = """
import time
from pathlib import Path

def scores():
    for pid in Path({procs!r}).read_text().split():
        yield tuple(Path("/proc", pid, n).read_text().strip() for n in ("comm", "oom_score_adj"))

seen = {{}}
while int(seen.get("holdfast-sentry", 0)) <= 0:
    time.sleep(0.05)
    seen = dict(scores())
print(seen["holdfast-sentry"], seen["python3"])
"""


def test_the_sentry_is_offered_to_the_oom_killer_and_the_program_as_it_was(holdfast, control_group):
    """While a killed program's memory is being freed, the kernel would kill us next."""
    group = control_group(memory=LIMIT)
    code = SCORES.format(procs=str(group.memory_folder / "cgroup.procs"))
    ended = holdfast.inside(group.inside).run("python3", "-c", code, text=True)
    sentry, program_ = (int(word) for word in ended.stdout.split())
    assert sentry > 12 * MIB * 1000 // LIMIT
    assert program_ == int(Path("/proc/self/oom_score_adj").read_text())


def test_a_script_that_starts_the_leak_is_not_the_process_that_was_killed(
    holdfast, control_group, tmp_path
):
    script = tmp_path / "train.sh"
    script.write_text(f"#!/bin/sh\nset -e\n{PYTHON} {PROGRAMS}/leak.py\necho done\n")
    script.chmod(0o755)
    verdict = holdfast.inside(control_group(memory=LIMIT).inside).verdict_of(str(script))
    check_end(verdict, "HF101", "cgroup-oom")
    assert verdict["process"]["role"] == "main"
    assert "leak.py" in verdict["process"]["command"]
    assert verdict["exit"] == {"code": 137, "signal": None}


def test_without_the_kernel_log_the_counters_of_the_cgroup_decide(holdfast, control_group):
    group = control_group(memory=LIMIT)
    holdfast.inside(kernel_log.hidden_from).inside(group.inside).run(*program("leak.py"))
    verdict = holdfast.why()
    check_end(verdict, "HF101", "cgroup-oom")
    assert verdict["memory"]["limit_bytes"] == LIMIT
    assert any("kernel log" in line for line in verdict["missing"])


def test_a_small_program_killed_because_a_neighbour_ate_the_memory_is_its_victim(
    holdfast, control_group
):
    group = control_group(memory=LIMIT)
    running, victim = holdfast.inside(group.inside).start_ready(*program("wait.py", 1000))
    eater = subprocess.Popen(
        group.inside(*program("eat_until_gone.py", victim)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    eater_pid = ready_pid(eater)
    eater.stdin.write(b"go\n")
    eater.stdin.close()
    finish(running)
    verdict = holdfast.why()
    eater.kill()
    eater.wait()
    eater.stdout.close()
    check_end(verdict, "HF103", "oom-victim")
    assert verdict["process"]["pid"] == victim
    # The kernel's list has its name and number. Reading its command line means opening files, and a
    # watcher in the same full group may be refused the memory for that.
    assert f"(pid {eater_pid})" in text_of(verdict["end"])


@pytest.mark.parametrize("log", ["readable", "hidden"])
def test_a_neighbours_oom_kill_is_not_ours_when_we_are_killed_by_hand_in_the_same_moment(
    holdfast, control_group, log
):
    group = control_group(memory=LIMIT)
    if log == "readable":
        kernel_log.need_readable()
        watched = holdfast.inside(group.inside)
    else:
        watched = holdfast.inside(kernel_log.hidden_from).inside(group.inside)
    running, ours = watched.start_ready(*program("wait.py"))
    neighbour = subprocess.run(group.inside(*program("leak.py")))
    os.kill(ours, signal.SIGKILL)
    finish(running)
    assert neighbour.returncode == -signal.SIGKILL
    assert group.oom_kills == 1
    verdict = holdfast.why()
    assert verdict["exit"]["signal"] == "SIGKILL"
    if log == "readable":
        assert verdict["end"]["slug"] == "killed", verdict["end"]
        check_not_out_of_memory(verdict)
    else:
        for part in (verdict["end"], verdict["root"]):
            assert part["slug"] not in OUT_OF_MEMORY or part["confidence"] != "certain", part


@pytest.mark.parametrize("log", ["readable", "hidden"])
@pytest.mark.parametrize("worker", [("fork_leak.py", "raise"), ("pool_leak.py",)])
def test_a_worker_killed_by_the_oom_killer_explains_the_parents_exception(
    holdfast, control_group, worker, log
):
    if log == "readable":
        kernel_log.need_readable()
    else:
        holdfast = holdfast.inside(kernel_log.hidden_from)
    group = control_group(memory=LIMIT)
    holdfast.inside(group.inside).run(*program(*worker))
    verdict = holdfast.why()
    assert group.oom_kills == 1
    check_end(verdict, "HF104", "worker-oom")
    assert verdict["process"]["role"] == "worker"
    assert verdict["exit"] == {"code": 1, "signal": None}
    assert verdict["memory"]["limit_bytes"] == LIMIT


@pytest.mark.parametrize("log", ["readable", "hidden"])
def test_a_parent_killed_by_hand_after_its_worker_was_oom_killed_is_no_oom_of_the_parent(
    holdfast, control_group, log
):
    if log == "readable":
        kernel_log.need_readable()
    else:
        holdfast = holdfast.inside(kernel_log.hidden_from)
    group = control_group(memory=LIMIT)
    running, parent = holdfast.inside(group.inside).start_ready(*program("fork_leak.py", "wait"))
    os.kill(parent, signal.SIGKILL)
    finish(running)
    verdict = holdfast.why()
    assert group.oom_kills == 1
    assert verdict["end"]["slug"] in BY_HAND, verdict["end"]
    assert verdict["exit"]["signal"] == "SIGKILL"
    assert verdict["process"]["pid"] == parent
    assert verdict["root"]["slug"] not in OUT_OF_MEMORY, verdict["root"]


def test_a_limit_reached_and_relieved_by_dropping_caches_is_no_cause(
    holdfast, control_group, tmp_path
):
    group = control_group(memory=64 * MIB)
    watched = holdfast.inside(group.inside)
    verdict = watched.verdict_of(*program("fill_page_cache.py", tmp_path, 160))
    if group.limit_hits == 0:
        pytest.skip("files in this folder are not charged to the control group")
    assert group.oom_kills == 0
    check_end(verdict, "HF907", "exit-called")
    check_not_out_of_memory(verdict)
    assert verdict["exit"]["code"] == 3


@pytest.mark.parametrize("limit", ["-v 400000", "-d 400000"])
def test_memory_refused_under_an_address_limit_is_not_called_a_shortage(holdfast, limit):
    verdict = holdfast.verdict_of(*limited(limit, *program("leak.py")))
    assert verdict["end"]["slug"] in {"alloc-refused", "address-limit"}, verdict["end"]
    assert verdict["exit"] == {"code": 1, "signal": None}
    assert verdict["end"]["where"]["file"].endswith("leak.py")
    assert verdict["end"]["where"]["line"] == line_of("leak.py", "kept.append")


def test_a_limit_that_the_program_set_for_itself_a_moment_ago_is_known(holdfast):
    verdict = holdfast.verdict_of(*program("own_limit.py"))
    check_end(verdict, "HF106", "address-limit", SURE_ENOUGH)


def test_one_refused_allocation_is_alloc_refused(holdfast):
    verdict = holdfast.verdict_of(PYTHON, "-c", "bytearray(1 << 52)")
    check_end(verdict, "HF105", "alloc-refused", SURE_ENOUGH)


@pytest.fixture
def small_shm(holdfast):
    """The program under test where /dev/shm holds 8 MiB."""
    if os.geteuid() != 0:
        pytest.skip("a small /dev/shm needs root")
    mount = 'mount -t tmpfs -o size=8m none /dev/shm && exec "$@"'
    return holdfast.inside(lambda: ["unshare", "--mount", "/bin/sh", "-c", mount, "sh"])


def test_a_bus_error_on_full_shared_memory_is_shm_full(small_shm):
    verdict = small_shm.verdict_of(*program("fill_shared_memory.py"))
    assert verdict["exit"]["signal"] == "SIGBUS"
    check_end(verdict, "HF113", "shm-full", SURE_ENOUGH)


LOADER_WORDS = (
    "RuntimeError: DataLoader worker (pid 77) is killed by signal: Bus error. It is possible "
    "that dataloader's workers are out of shared memory. Please try to raise your shared "
    "memory limit."
)


def test_the_loaders_own_words_about_shared_memory_are_believed_when_it_is_full(small_shm):
    fill = "head -c 16M /dev/zero >/dev/shm/batches 2>/dev/null"
    verdict = small_shm.verdict_of("/bin/sh", "-c", f'{fill}; echo "{LOADER_WORDS}" >&2; exit 1')
    check_end(verdict, "HF113", "shm-full", SURE_ENOUGH)


def test_the_loaders_own_words_about_shared_memory_are_no_proof_when_there_is_plenty(holdfast):
    verdict = holdfast.verdict_of("/bin/sh", "-c", f'echo "{LOADER_WORDS}" >&2; exit 1')
    assert verdict["end"]["slug"] != "shm-full" or verdict["end"]["confidence"] != "certain"


# Native crashes


@pytest.mark.parametrize(
    ("command", "code", "slug", "ended_by"),
    [
        ([PYTHON, "-c", "import ctypes; ctypes.string_at(0)"], "HF301", "segfault", "SIGSEGV"),
        ([PYTHON, "-c", "import os; os.abort()"], "HF307", "native-abort", "SIGABRT"),
        (program("trap.py", "divide"), "HF308", "arithmetic-trap", "SIGFPE"),
        (program("trap.py", "illegal"), "HF306", "illegal-instruction", "SIGILL"),
    ],
    ids=["segfault", "abort", "divide", "illegal"],
)
def test_a_native_crash_is_named_by_its_signal(holdfast, command, code, slug, ended_by):
    verdict = holdfast.verdict_of(*command)
    check_end(verdict, code, slug, SURE if slug == "segfault" else SURE_ENOUGH)
    assert verdict["exit"] == {"code": None, "signal": ended_by}
    assert verdict["process"]["role"] == "main"
    check_not_out_of_memory(verdict)


def test_an_interpreter_that_cannot_start_is_fatal_python_error(holdfast):
    environment = holdfast.environment | {"PYTHONHOME": "/nonexistent"}
    verdict = holdfast.verdict_of(PYTHON, "-c", "1", env=environment)
    check_end(verdict, "HF310", "fatal-python-error")
    assert verdict["exit"]["code"] == 1


def test_an_interpreter_that_aborts_is_fatal_python_error_not_just_an_abort(holdfast):
    code = "import ctypes; ctypes.pythonapi.Py_FatalError(b'the end')"
    verdict = holdfast.verdict_of(PYTHON, "-c", code)
    check_end(verdict, "HF310", "fatal-python-error")
    assert verdict["exit"]["signal"] == "SIGABRT"


# Limits

# A slow leak is predicted, with its figures; one that is over at once need not be.
PACES = pytest.mark.parametrize(
    ("pause", "confidence"), [(0.03, SURE), (0, SURE_ENOUGH)], ids=["slowly", "at once"]
)


@PACES
def test_threads_refused_by_the_pids_controller_are_a_thread_limit(
    holdfast, control_group, pause, confidence
):
    watched = holdfast.inside(control_group(pids=40).inside)
    verdict = watched.verdict_of(*program("exhaust_threads.py", pause))
    check_end(verdict, "HF501", "thread-limit", confidence)
    if confidence == SURE:
        assert "40" in text_of(verdict["end"])


@PACES
def test_threads_refused_to_a_user_by_ulimit_are_a_thread_limit(as_nobody, pause, confidence):
    python = "/usr/bin/python3"
    usable = subprocess.run([*as_nobody.prefix, python, "-c", "1"], capture_output=True)
    if usable.returncode != 0:
        pytest.skip("no Python here that another user can run")
    source = (PROGRAMS / "exhaust_threads.py").read_text()
    command = limited("-u 40", python, "-c", source, str(pause))
    verdict = as_nobody.verdict_of(*command, cwd="/")
    check_end(verdict, "HF501", "thread-limit", confidence)
    if confidence == SURE:
        assert "40" in text_of(verdict["end"])


@PACES
def test_running_out_of_descriptors_is_a_descriptor_limit(holdfast, pause, confidence):
    command = limited("-n 64", *program("exhaust_descriptors.py", pause))
    verdict = holdfast.verdict_of(*command)
    check_end(verdict, "HF502", "fd-limit", confidence)
    if confidence == SURE:
        assert "64" in text_of(verdict["end"])


def test_a_full_file_system_is_disk_full(holdfast, small_disk):
    command = program("fill_disk.py", small_disk / "checkpoint")
    check_end(holdfast.verdict_of(*command), "HF503", "disk-full", SURE_ENOUGH)
    verdict = holdfast.verdict_of(*command, cwd=small_disk)
    check_end(verdict, "HF503", "disk-full")
    assert verdict["end"]["where"]["line"] == line_of("fill_disk.py", "checkpoint.write")


@pytest.mark.parametrize(("soft", "ended_by"), [("-S -t 1", "SIGXCPU"), ("-t 1", "SIGKILL")])
def test_cpu_time_used_up_is_a_cpu_time_limit(holdfast, soft, ended_by):
    verdict = holdfast.verdict_of(*limited(soft, "/bin/sh", "-c", "while :; do :; done"))
    check_end(verdict, "HF504", "cpu-time-limit")
    assert verdict["exit"]["signal"] == ended_by


def test_a_file_grown_too_large_is_a_file_size_limit(holdfast, tmp_path):
    by_signal = limited("-f 8", "dd", "if=/dev/zero", f"of={tmp_path}/f", "bs=1M", "count=1")
    verdict = holdfast.verdict_of(*by_signal)
    check_end(verdict, "HF505", "file-size-limit")
    assert verdict["exit"]["signal"] == "SIGXFSZ"

    by_error = limited("-f 8", *program("fill_disk.py", tmp_path / "f"))
    verdict = holdfast.verdict_of(*by_error)
    check_end(verdict, "HF505", "file-size-limit", SURE_ENOUGH)


# Life cycle


def test_a_run_that_ends_well_is_a_clean_exit_whatever_it_said(holdfast):
    ended = holdfast.run(*program("caught_errors.py"))
    verdict = holdfast.why()
    assert (verdict["end"]["code"], verdict["end"]["slug"]) == ("HF901", "clean-exit")
    assert verdict["end"]["confidence"] == "certain"
    assert verdict["outcome"] == "finished"
    assert verdict["exit"] == {"code": 0, "signal": None}
    plain = subprocess.run(program("caught_errors.py"), capture_output=True)
    assert ended.stderr == plain.stderr


@pytest.mark.parametrize(
    "command",
    [
        [PYTHON, "-c", "import sys; sys.exit(3)"],
        [PYTHON, "-c", "import os; os._exit(3)"],
        ["/bin/sh", "-c", "exit 3"],
    ],
)
def test_an_exit_status_without_an_exception_is_an_exit_call(holdfast, command):
    verdict = holdfast.verdict_of(*command)
    check_end(verdict, "HF907", "exit-called")
    assert verdict["exit"] == {"code": 3, "signal": None}


def test_an_exception_names_the_line_that_raised_it(holdfast):
    verdict = holdfast.verdict_of(*program("raises.py", "own"))
    check_end(verdict, "HF902", "exception")
    where = verdict["end"]["where"]
    assert where["file"].endswith("raises.py")
    assert where["line"] == line_of("raises.py", "this line raises")
    assert where["function"] == "train"
    assert "raise ValueError" in where["text"]
    assert "loss is not what it was" in text_of(verdict["end"])


def test_an_exception_below_a_library_names_the_users_own_line(holdfast):
    verdict = holdfast.verdict_of(*program("raises.py", "library"))
    check_end(verdict, "HF902", "exception")
    where = verdict["end"]["where"]
    assert where["file"].endswith("raises.py")
    assert where["line"] == line_of("raises.py", "raises below this line")


def test_a_terminate_signal_names_its_sender(holdfast):
    running, _ = holdfast.start_ready(*program("wait.py"))
    sender = subprocess.Popen(program("send_signal.py", running.pid, int(signal.SIGTERM)))
    finish(running)
    sender.terminate()
    sender.wait()
    assert running.returncode == -signal.SIGTERM
    verdict = holdfast.why()
    check_end(verdict, "HF903", "killed")
    assert verdict["exit"] == {"code": None, "signal": "SIGTERM"}
    assert str(sender.pid) in text_of(verdict["end"])
    assert "send_signal.py" in text_of(verdict["end"])


def test_a_terminate_signal_sent_past_holdfast_is_killed_too(holdfast):
    running, pid = holdfast.start_ready(*program("wait.py"))
    os.kill(pid, signal.SIGTERM)
    finish(running)
    verdict = holdfast.why()
    assert verdict["end"]["slug"] == "killed"
    assert verdict["exit"]["signal"] == "SIGTERM"


def test_a_kill_by_hand_is_never_called_out_of_memory(holdfast):
    running, pid = holdfast.start_ready(*program("wait.py"))
    os.kill(pid, signal.SIGKILL)
    finish(running)
    assert running.returncode == -signal.SIGKILL
    verdict = holdfast.why()
    assert verdict["end"]["slug"] in BY_HAND
    assert verdict["exit"]["signal"] == "SIGKILL"
    assert verdict["outcome"] == "died"
    check_not_out_of_memory(verdict)


def test_a_kill_by_hand_in_a_nearly_full_cgroup_is_never_called_out_of_memory(
    holdfast, control_group
):
    group = control_group(memory=LIMIT)
    code = (
        f"import os, signal; kept = bytearray(b'x') * {100 * MIB};"
        "print('ready', os.getpid(), flush=True); signal.pause()"
    )
    running, pid = holdfast.inside(group.inside).start_ready(PYTHON, "-c", code)
    os.kill(pid, signal.SIGKILL)
    finish(running)
    check_not_out_of_memory(holdfast.why())


@pytest.mark.parametrize(
    ("sent", "code", "slug"),
    [
        (signal.SIGINT, "HF904", "interrupted"),
        (signal.SIGHUP, "HF905", "hangup"),
    ],
)
def test_an_interrupt_and_a_hang_up_have_their_own_names(holdfast, sent, code, slug):
    running, _ = holdfast.start_ready(*program("wait.py"), stderr=subprocess.PIPE)
    running.send_signal(sent)
    finish(running)
    verdict = holdfast.why()
    check_end(verdict, code, slug)
    assert verdict["exit"]["signal"] == sent.name


def test_a_hang_up_that_the_program_ignores_ended_nothing(holdfast):
    code = "import os, time; print('ready', os.getpid(), flush=True); time.sleep(1.5)"
    running, _ = holdfast.start_ready("nohup", PYTHON, "-c", code, stderr=subprocess.PIPE)
    running.send_signal(signal.SIGHUP)
    finish(running)
    verdict = holdfast.why()
    assert verdict["outcome"] == "finished"
    assert verdict["end"]["slug"] == verdict["root"]["slug"] == "clean-exit"


def test_the_verdict_file_says_what_why_says(holdfast, tmp_path):
    holdfast.run(*program("raises.py", "own"), options=["--verdict", str(tmp_path / "verdict")])

    assert json.loads((tmp_path / "verdict").read_text())["end"] == holdfast.why()["end"]
