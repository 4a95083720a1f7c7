"""A watched program behaves exactly as unwatched: each command is run both ways and compared."""

import contextlib
import fcntl
import hashlib
import json
import os
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from support import proc
from support.run import (
    PATIENCE,
    PROGRAMS,
    PYTHON,
    eventually,
    finish,
    program,
    read_exactly,
)

BASH = "/bin/bash"


@pytest.fixture
def shell(holdfast, tmp_path):
    """Runs a script in which RUN stands for `holdfast run` or, unwatched, for nothing."""

    def run(script, *, watched, how=BASH, **options):
        options.setdefault("cwd", _empty_folder(tmp_path))
        options.setdefault("stdin", subprocess.DEVNULL)
        words = shlex.join(holdfast.line(options=["--quiet"])) if watched else ""
        ended = subprocess.run(
            [how, "-c", script.replace("RUN", words)],
            env=holdfast.environment,
            capture_output=True,
            timeout=PATIENCE,
            **options,
        )
        folder = options["cwd"]
        files = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
        return ended.returncode, ended.stdout, ended.stderr, files

    return run


def _empty_folder(tmp_path: Path) -> Path:
    # The same name both times: the program may print it.
    folder = tmp_path / "here"
    if folder.exists():
        for file in folder.iterdir():
            file.unlink()
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def same_both_ways(shell):
    """Runs a script both ways, finds no difference, and returns what both gave."""

    def compare(script, **options):
        unwatched = shell(script, watched=False, **options)
        watched = shell(script, watched=True, **options)
        assert watched == unwatched
        return unwatched

    return compare


PY = shlex.quote(PYTHON)
P = shlex.quote(str(PROGRAMS))
ALTERNATE = f"{PY} {P}/alternate.py"


# Output


@pytest.mark.parametrize(
    "script",
    [
        f"RUN {ALTERNATE}",
        f"RUN {ALTERNATE} 2>&1 | cat",
        f"RUN {ALTERNATE} >both 2>&1",
        f"RUN {ALTERNATE} >out 2>err",
        f"RUN {ALTERNATE} >>both 2>>both",
        f"RUN {ALTERNATE} 2>/dev/null",
        f"RUN {ALTERNATE} 2>&1 >/dev/null | cat",
        f"(RUN {ALTERNATE}; echo after; echo after >&2) 2>&1 | cat",
        f"RUN sh -c '{ALTERNATE} | tail -n 3' 2>&1 | cat",
    ],
)
def test_output_arrives_whole_and_in_order(same_both_ways, script):
    status, out, err, files = same_both_ways(script)
    assert status == 0
    assert out or err or any(files.values())


def test_lines_of_two_streams_on_one_pipe_keep_their_order(same_both_ways):
    _, out, _, _ = same_both_ways(f"RUN {ALTERNATE} 2>&1 | cat")
    expected = b"".join(b"out %d\nerr %d\n" % (number, number) for number in range(200))
    assert out == expected


@pytest.mark.parametrize("script", ["write_much.py 1 200", "write_much.py 2 200 2>&1 >/dev/null"])
def test_much_output_arrives_intact(shell, script):
    expected = hashlib.sha256()
    for number in range(200):
        expected.update(hashlib.sha256(b"%d" % number).digest() * ((1 << 20) // 32))
    status, out, _, _ = shell(f"RUN {PY} {P}/{script} | sha256sum", watched=True)
    assert status == 0
    assert out.split()[0].decode() == expected.hexdigest()


def test_a_program_whose_reader_goes_away_gets_sigpipe(same_both_ways):
    for script in ("RUN yes | head -n 1", "RUN yes 2>&1 | head -n 1"):
        _, out, _, _ = same_both_ways(f"{script}; echo ${{PIPESTATUS[0]}}")
        assert out == b"y\n141\n"


def test_a_program_writing_only_stderr_gets_sigpipe_when_its_reader_goes_away(same_both_ways):
    script = "RUN sh -c 'while :; do echo y >&2; done' 2>&1 >/dev/null | head -n 1"
    _, out, _, _ = same_both_ways(f"{script}; echo ${{PIPESTATUS[0]}}")
    assert out == b"y\n141\n"


# Exit


@pytest.mark.parametrize("code", [0, 1, 2, 3, 17, 42, 125, 126, 127, 128, 137, 255])
def test_the_exit_code_is_the_programs(holdfast, code):
    ended = holdfast.run("/bin/sh", "-c", f"exit {code}")
    assert ended.returncode == code


FATAL = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM"


@pytest.mark.parametrize("name", FATAL.split())
def test_a_shell_sees_the_signal_that_ended_the_program(same_both_ways, name):
    number = int(getattr(signal, f"SIG{name}"))
    _, out, _, _ = same_both_ways(f"(RUN sh -c 'kill -{name} $$'; echo $?) 2>/dev/null")
    assert int(out) == 128 + number


def test_one_crash_leaves_one_core_file(holdfast, tmp_path):
    if not Path("/proc/sys/kernel/core_pattern").read_text().startswith("core"):
        pytest.skip("core files do not go to the working directory here")
    crash = holdfast.line("/bin/sh", "-c", "kill -SEGV $$", options=["--quiet"])
    running = subprocess.Popen(
        [BASH, "-c", f"ulimit -c 100000; exec {shlex.join(crash)}"],
        env=holdfast.environment,
        cwd=tmp_path,
    )
    _, status = os.waitpid(running.pid, 0)
    running.returncode = status  # already reaped: nobody may wait for that pid again
    assert os.WTERMSIG(status) == signal.SIGSEGV
    assert not os.WCOREDUMP(status), "the supervisor left a core of its own"
    assert len(list(tmp_path.glob("core*"))) == 1


# What a program inherits


SURROUNDINGS = f"RUN {PY} {P}/surroundings.py $$ one 'two words' ''"


@pytest.mark.parametrize(
    "script",
    [
        SURROUNDINGS,
        f"{SURROUNDINGS} 2>err",
        f"{SURROUNDINGS} </dev/null",
        f"{SURROUNDINGS} 2>&1 | cat",
        f"{SURROUNDINGS} <&- ",
        f"{SURROUNDINGS} 2>&-",
        f"{SURROUNDINGS} <&- 2>&- >out",
        f"{SURROUNDINGS} 7</dev/null 9>extra",
        f"{SURROUNDINGS} & wait $!",
        f"trap '' HUP TERM USR1 PIPE; {SURROUNDINGS}",
        f"umask 077; ulimit -S -n 100; ulimit -c 0; ulimit -S -s 4096; nice -n 5 {SURROUNDINGS}",
        f"set -m; {SURROUNDINGS} & exec 2>/dev/null; wait $!",
        f"export A=$'new\\nline' B= LD_LIBRARY_PATH=/x PYTHONPATH=/y; {SURROUNDINGS}",
    ],
)
def test_a_program_inherits_what_it_would_unwatched(same_both_ways, script):
    _, out, _, files = same_both_ways(script)
    inherited = json.loads(files.get("out") or out)
    assert inherited["arguments"] == ["one", "two words", ""]


def test_blocked_signals_stay_blocked(holdfast):
    code = (
        "import signal, subprocess, sys;"
        "blocked = {signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD};"
        "signal.pthread_sigmask(signal.SIG_BLOCK, blocked);"
        "subprocess.run(sys.argv[1:])"
    )
    look = ["grep", "-E", "SigBlk|SigIgn", "/proc/self/status"]
    unwatched = subprocess.run([PYTHON, "-c", code, *look], capture_output=True)
    watched = subprocess.run(
        [PYTHON, "-c", code, *holdfast.line(*look)], capture_output=True, env=holdfast.environment
    )
    assert watched.stdout == unwatched.stdout
    assert b"SigBlk" in watched.stdout


def test_stdin_reaches_the_program_byte_for_byte(holdfast):
    sent = os.urandom(1 << 20) + b"\x00\x03\x04\x1a\r\n"
    assert holdfast.run("cat", input=sent).stdout == sent


@pytest.mark.parametrize("script", ["RUN cat <&-", "RUN cat </dev/null", "RUN cat >&- <&-"])
def test_closed_streams_stay_closed(same_both_ways, script):
    same_both_ways(f"{script}; echo $? >status")


def test_a_script_without_a_first_line_is_run_as_shells_run_it(shell, tmp_path):
    script = tmp_path / "script"
    script.write_text("echo $1; exit 7\n")
    script.chmod(0o755)
    for watched in (False, True):
        status, out, _, _ = shell(f"RUN {shlex.quote(str(script))} one", watched=watched)
        assert (status, out) == (7, b"one\n")


@pytest.mark.parametrize("blocks", [100, 2000])
def test_a_limit_on_file_sizes_that_we_meet_ourselves_ends_nobody(shell, blocks):
    # Smaller than all our boxes, or than the agents': the kernel reports that with SIGXFSZ.
    write = "head -c 1000 /dev/zero > small; sleep 0.3; echo done"
    script = f"ulimit -f {blocks}; RUN sh -c '{write}'"
    code, said, _, files = shell(script, watched=True)
    assert (code, said, len(files["small"])) == (0, b"done\n", 1000)


def test_nohup_protects_the_program_and_its_supervisor(shell):
    script = (
        f"exec nohup RUN {PY} -c 'import os, signal; os.killpg(0, signal.SIGHUP); print(1 + 1)'"
    )
    for watched in (False, True):
        status, out, _, _ = shell(script, watched=watched, start_new_session=True)
        assert (status, out) == (0, b"2\n")


def test_a_program_in_the_background_is_waited_for(same_both_ways):
    _, out, _, _ = same_both_ways("RUN sh -c 'sleep 0.1; exit 5' & wait $!; echo $?")
    assert out == b"5\n"


def test_switched_off_there_is_nothing_between_shell_and_program(holdfast):
    line = shlex.join(holdfast.line("/bin/sh", "-c", "echo $PPID"))
    ended = subprocess.run(
        [BASH, "-c", f"echo $$; {line}; exit 4"],
        env=holdfast.environment | {"HOLDFAST": "0"},
        capture_output=True,
    )
    shell_pid, parent = ended.stdout.split()
    assert parent == shell_pid
    assert holdfast.runs() == []


# Signals


@pytest.mark.parametrize("whom", ["supervisor", "group"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGQUIT"])
def test_a_signal_reaches_the_program_exactly_once(holdfast, whom, name):
    running, _ = holdfast.start_ready(*program("count_signals.py"), start_new_session=True)
    for _ in range(12):
        if whom == "supervisor":
            os.kill(running.pid, signal.Signals[name])
        else:
            os.killpg(running.pid, signal.Signals[name])
        read_exactly(running.stdout, name.encode() + b"\n")
    running.send_signal(signal.SIGUSR2)
    rest, _ = finish(running)
    assert rest == b""
    assert running.returncode == 0


def test_different_signals_in_quick_succession_all_arrive_once(holdfast):
    running, _ = holdfast.start_ready(*program("count_signals.py"), start_new_session=True)
    names = ["SIGHUP", "SIGTERM", "SIGUSR1", "SIGINT"]
    for turn in range(8):
        for place, name in enumerate(names):
            send = os.killpg if (turn + place) % 2 else os.kill
            send(running.pid, signal.Signals[name])
        seen = sorted(running.stdout.readline().decode().strip() for _ in names)
        assert seen == sorted(names)
    running.send_signal(signal.SIGUSR2)
    rest, _ = finish(running)
    assert rest == b""


def test_signals_arrive_once_when_the_sentry_was_killed_in_our_place(holdfast):
    running, _ = holdfast.start_ready(*program("count_signals.py"), start_new_session=True)

    def sentry():
        return [pid for pid in proc.children(running.pid) if proc.name(pid) == "holdfast-sentry"]

    (first,) = sentry()
    os.kill(first, signal.SIGKILL)
    eventually("another sentry", lambda: sentry() not in ([], [first]))
    for _ in range(4):
        os.killpg(running.pid, signal.SIGINT)
        read_exactly(running.stdout, b"SIGINT\n")
    running.send_signal(signal.SIGUSR2)
    rest, _ = finish(running)
    assert rest == b""


def test_a_stopped_program_can_be_continued(holdfast):
    running, pid = holdfast.start_ready(
        *program("echo_to_stderr.py"), stdin=subprocess.PIPE, start_new_session=True
    )
    os.kill(pid, signal.SIGSTOP)
    eventually("the program stops", lambda: proc.state(pid) == "T")
    os.kill(pid, signal.SIGCONT)
    running.stdin.write(b"still here\n")
    running.stdin.flush()
    read_exactly(running.stdout, b"done\n")
    finish(running)
    assert running.returncode == 0


# Other processes


def test_a_daemon_left_behind_neither_delays_the_end_nor_is_ended(holdfast, tmp_path):
    running = holdfast.start(*program("daemonise.py", tmp_path), stderr=subprocess.PIPE)
    # The daemon waits for `go`, which comes only after this.
    assert running.wait(timeout=PATIENCE) == 0
    (tmp_path / "go").touch()
    assert running.stderr.read() == b"from the daemon\n"
    running.stderr.close()
    eventually("the daemon lives on", (tmp_path / "went").exists)


def test_orphans_leave_no_zombies(holdfast):
    running, _ = holdfast.start_ready(*program("leave_orphans.py"), stdin=subprocess.PIPE)
    eventually("orphans are reaped", lambda: not proc.zombies_of(running.pid))
    finish(running)
    assert running.returncode == 0


INHERIT = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: whom we lose comes here
started = subprocess.Popen(sys.argv[2:], stderr=subprocess.PIPE if sys.argv[1] == "pipe" else None)
while True:
    try:
        pid, status = os.wait()
    except ChildProcessError:
        break
    print("ours" if pid == started.pid else "a stranger", os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("stderr", ["pipe", "file"])
@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["/bin/sh", "-c", "exit 0"], 0),
        (["/bin/sh", "-c", "exit 3"], 3),
        (["/bin/sh", "-c", "kill -TERM $$"], -15),
        (["/bin/sh", "-c", "sleep .3; exit 4"], 4),
        (["/no/such/command"], 127),
    ],
    ids=lambda one: one[-1] if isinstance(one, list) else "",
)
def test_who_inherits_our_children_gets_none(holdfast, command, status, stderr):
    """An init such as firejail may take the status of a stranger that ends last for its own."""
    line = holdfast.line(*command, options=["--quiet"])
    ended = subprocess.run(
        [PYTHON, "-c", INHERIT, stderr, *line],
        env=holdfast.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert ended.stdout == f"ours {status}\n"


def test_a_program_outlives_its_relay_and_no_line_is_lost(holdfast):
    running, _ = holdfast.start_ready(
        *program("echo_to_stderr.py"), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    for number in range(20):
        line = b"line %d\n" % number
        running.stdin.write(line)
        running.stdin.flush()
        read_exactly(running.stderr, line)
        read_exactly(running.stdout, b"done\n")
        if number % 5 == 0:
            (relay,) = eventually("there is a relay", lambda: relays_of(running.pid))
            os.kill(relay, signal.SIGKILL)
    _, rest = finish(running)
    assert rest == b""
    assert running.returncode == 0


def test_no_line_is_lost_or_doubled_when_relays_are_killed_while_they_drain(holdfast):
    script = "import os\nfor n in range(60): os.write(2, b'%04d' % n + b'x' * 2995 + b'\\n')"
    running = holdfast.start(PYTHON, "-c", script, options=["--quiet"], stderr=subprocess.PIPE)
    eventually("the pipe is full", lambda: bytes_in(running.stderr) > 40_000)
    seen = b""
    for _ in range(20):
        for relay in relays_of(running.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(relay, signal.SIGKILL)
        seen += os.read(running.stderr.fileno(), 5000)
    seen += running.stderr.read()
    running.stderr.close()
    assert running.wait(timeout=PATIENCE) == 0
    assert seen == b"".join(b"%04d" % n + b"x" * 2995 + b"\n" for n in range(60))


@pytest.mark.parametrize("lines", [3, 17, 60])
@pytest.mark.parametrize("status", [0, 3])
def test_nobody_needs_to_read_before_the_end(holdfast, lines, status):
    """A piece that is passed on alone must not take its own slot in the reader's pipe."""
    script = f"i=0; while [ $i -lt {lines} ]; do echo w >&2; sleep .02; i=$((i+1)); done; exit"
    running = holdfast.start("/bin/sh", "-c", f"{script} {status}", stderr=subprocess.PIPE)
    assert running.wait(timeout=PATIENCE) == status
    seen = running.stderr.read().splitlines()
    running.stderr.close()
    assert seen[:lines] == [b"w"] * lines
    assert len(seen) == lines + (1 if status else 0)


def test_what_fits_into_a_pipe_is_in_it_at_the_end(holdfast):
    """Lines of odd lengths, as many as a pipe holds without anybody in between."""
    script = "import os\nfor n in range(200): os.write(2, b'x' * (n % 7 * 50) + b'\\n')"
    running = holdfast.start(PYTHON, "-c", script, stderr=subprocess.PIPE)
    assert running.wait(timeout=PATIENCE) == 0
    os.set_blocking(running.stderr.fileno(), False)
    seen = running.stderr.read()
    running.stderr.close()
    assert seen == b"".join(b"x" * (n % 7 * 50) + b"\n" for n in range(200))


def test_two_descriptors_of_one_pipe_keep_their_order(same_both_ways):
    loop = "i=0; while [ $i -lt 200 ]; do echo a$i >&2; echo b$i >&3; i=$((i+1)); done"
    _, _, err, _ = same_both_ways(f"RUN sh -c '{loop}' 3>&2")
    assert err.splitlines()[:4] == [b"a0", b"b0", b"a1", b"b1"]


@pytest.mark.parametrize(
    "script",
    [
        "RUN sh -c 'echo x >&2' 2>/dev/full; echo $?",
        f"RUN {PY} -c 'import sys; sys.stderr.write(\"x\"); sys.exit(3)' 2>/dev/full; echo $?",
        "RUN sh -c 'stat -L -c %F /proc/self/fd/2' 2>/dev/zero",
    ],
)
def test_a_device_stays_the_device_it_is(same_both_ways, script):
    same_both_ways(script)


def bytes_in(pipe) -> int:
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"0000"))[0]


def relays_of(supervisor: int) -> list[int]:
    return [
        pid
        for pid in proc.children(supervisor)
        if "relay" in proc.name(pid) and proc.is_running(pid)
    ]


def test_a_sigkill_of_holdfast_run_ends_the_program(holdfast):
    running, pid = holdfast.start_ready(*program("echo_to_stderr.py"), stdin=subprocess.PIPE)
    running.kill()
    assert running.wait(timeout=PATIENCE) == -signal.SIGKILL
    eventually("the program is gone", lambda: not proc.is_running(pid))
    assert running.stdout.read() == b""
    running.stdin.close()
    running.stdout.close()
    verdict = eventually("the sentry tells", lambda: _ended(holdfast.why()))
    assert verdict["exit"]["signal"] == "SIGKILL"
    assert "oom" not in verdict["root"]["slug"]


def test_so_does_one_in_its_very_first_moment(holdfast, compiler, tmp_path):
    """The sentry knows the program before the program can do anything."""
    killer, go = tmp_path / "kill_parent", tmp_path / "go"
    subprocess.run([compiler, "-O1", str(PROGRAMS / "kill_parent.c"), "-o", killer], check=True)
    for _ in range(20):
        ended = holdfast.run(killer, go, options=["--no-agent", "--quiet"])
        assert ended.returncode == -signal.SIGKILL
    try:
        eventually("all are gone", lambda: not _running(killer))
    finally:
        go.touch()


def _running(program: Path) -> list[str]:
    found = []
    for link in Path("/proc").glob("[0-9]*/exe"):
        with contextlib.suppress(OSError):
            if link.readlink() == program:
                found.append(link.parent.name)
    return found


def _ended(verdict):
    return verdict if verdict["outcome"] != "running" else None


def test_a_detached_program_outlives_its_supervisor_and_why_works_before_and_after(holdfast):
    running, pid = holdfast.start_ready(
        *program("echo_to_stderr.py"),
        options=["--detach"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running.kill()
    running.wait()
    for number in range(5):
        line = b"line %d\n" % number
        running.stdin.write(line)
        running.stdin.flush()
        read_exactly(running.stderr, line)
        read_exactly(running.stdout, b"done\n")
    assert proc.is_running(pid)
    assert holdfast.why()["outcome"] == "running"
    running.stdin.close()
    assert running.stderr.read() == b""
    eventually("the program ends", lambda: not proc.is_running(pid))
    verdict = eventually("the end is seen", lambda: _ended(holdfast.why()))
    assert verdict["end"]["slug"] != "killed"
    assert verdict["missing"]
    running.stdout.close()
    running.stderr.close()


def test_a_sentry_ends_with_its_run(holdfast):
    running, _ = holdfast.start_ready(*program("echo_to_stderr.py"), stdin=subprocess.PIPE)
    (sentry,) = [c for c in proc.children(running.pid) if "sentry" in proc.name(c)]
    finish(running)
    assert running.returncode == 0
    assert not proc.is_running(sentry)


# Whatever we lack, the program runs


@pytest.mark.parametrize("most", [*range(4, 34), 40, 64])
def test_few_descriptors_leave_the_program_alone(holdfast, most):
    ended = holdfast.run(
        "/bin/sh",
        "-c",
        "ulimit -n; exit 7",  # a redirection would need a descriptor above 9
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)),
    )
    assert (ended.returncode, ended.stdout) == (7, b"%d\n" % most)
    # One warning, and, if watching was possible, one line of verdict; else a line that says that
    # the program runs unobserved, whatever was warned of before.
    said = ended.stderr.splitlines()
    assert len(said) <= 2, said
    assert b"HF907" in said[-1] or said[-1].endswith(b"the command runs on, unobserved"), said


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"),
    reason="needs root, unshare and setpriv: only in a pid namespace of its own is this safe",
)
@pytest.mark.parametrize("more", range(0, 6))
def test_refused_forks_leave_the_program_and_all_others_alone(holdfast, tmp_path, more):
    """A failed fork must never lead to kill(-1): in a pid namespace, as an unprivileged user."""
    holdfast.home.mkdir(mode=0o777)
    holdfast.home.chmod(0o777)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    uid = 64000 + os.getpid() % 1000
    watched = shlex.join(holdfast.line("/bin/sh", "-c", "echo out; exit 7", options=["--quiet"]))
    # The bystander would be the victim. The limit counts it, the shell, and possible forks.
    script = (
        "sleep 1000 & bystander=$!\n"
        f"(ulimit -u {2 + more}; exec {watched}); status=$?\n"
        "kill -0 $bystander && echo unharmed $status\n"
        "kill $bystander\n"
    )
    alone = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    unprivileged = ["--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
    ended = subprocess.run(
        [*alone, "setpriv", f"--reuid={uid}", *unprivileged, BASH, "-c", script],
        env=holdfast.environment,
        capture_output=True,
        timeout=PATIENCE,
        text=True,
    )
    if "unshare" in ended.stderr:
        pytest.skip(ended.stderr)
    assert ended.stdout == "out\nunharmed 7\n", ended.stderr


@pytest.mark.parametrize("ignored", [(), ("SIGCHLD",), ("SIGSEGV", "SIGHUP", "SIGABRT")])
def test_ignored_signals_stay_ignored(holdfast, ignored):
    numbers = [getattr(signal, name) for name in ignored]

    def ignore():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)

    command = ["grep", "^SigIgn", "/proc/self/status"]
    plain = subprocess.run(command, capture_output=True, preexec_fn=ignore)
    watched = holdfast.run(*command, preexec_fn=ignore)
    assert (watched.returncode, watched.stdout) == (0, plain.stdout)


def test_a_timer_that_runs_goes_on_in_the_program(holdfast):
    question = "import signal; print([signal.getitimer(n)[0] > 1 for n in range(3)])"

    def wind_up():
        signal.setitimer(signal.ITIMER_REAL, 5000)
        signal.setitimer(signal.ITIMER_PROF, 5000)

    ended = holdfast.run(PYTHON, "-c", question, preexec_fn=wind_up)
    assert ended.stdout == b"[True, False, True]\n"


@pytest.mark.parametrize("option", ["--no-subreaper", "--name=some run", "--quiet"])
def test_options_do_not_change_the_programs_fate(holdfast, option):
    ended = holdfast.run("/bin/sh", "-c", "echo out; echo err >&2; exit 9", options=[option])
    assert ended.returncode == 9
    assert ended.stdout == b"out\n"
    assert ended.stderr.startswith(b"err\n")
