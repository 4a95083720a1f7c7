"""The run on disk: who may read it, how large it gets, what it never contains, what stays."""

import os
import signal
import stat
import subprocess
import time

import pytest

from support import proc
from support.run import PATIENCE, PYTHON, Holdfast, eventually, finish, program

KIB, MIB = 1 << 10, 1 << 20
DIES = ["/bin/sh", "-c", "kill -SEGV $$"]


def size_of(run) -> int:
    return sum(file.stat().st_size for file in run.iterdir())


def blocks_of(run) -> int:
    return sum(file.stat().st_blocks * 512 for file in run.iterdir())


def all_bytes_of(run) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(run.iterdir()))


def test_only_the_owner_may_read_a_run(holdfast):
    holdfast.run("/bin/sh", "-c", "umask 0; exit 1", umask=0)
    (run,) = holdfast.runs()
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    for file in run.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name


def test_a_clean_run_shrinks_to_a_summary(holdfast):
    holdfast.run("true")
    (run,) = holdfast.runs()
    assert blocks_of(run) <= 64 * KIB
    assert holdfast.why()["end"]["slug"] == "clean-exit"


def test_the_size_does_not_depend_on_the_number_of_processes(holdfast):
    sizes = []
    for count in (1, 5000):
        ended = holdfast.run(*program("start_many.py", count), timeout=2 * PATIENCE)
        assert ended.returncode == 1
        run = holdfast.runs()[-1]
        sizes.append({file.name: file.stat().st_size for file in run.glob("*.box")})
        assert size_of(run) <= 16 * MIB
        assert holdfast.why()["end"]["slug"] == "exit-called"
    assert sizes[0] == sizes[1]
    assert sizes[0]


def test_the_size_does_not_depend_on_the_amount_of_output(holdfast):
    sizes = []
    for lines in (1, 20000):
        write = f"i=0; while [ $i -lt {lines} ]; do echo line $i >&2; i=$((i+1)); done; exit 1"
        holdfast.run("/bin/sh", "-c", write)
        run = holdfast.runs()[-1]
        sizes.append({file.name: file.stat().st_size for file in run.glob("*.box")})
    assert sizes[0] == sizes[1]


def test_a_record_takes_its_room_on_the_disk_before_the_program_starts(holdfast):
    running, pid = holdfast.start_ready(*program("wait.py"))
    (run,) = holdfast.runs()
    for box in run.glob("*.box"):
        assert box.stat().st_blocks * 512 >= box.stat().st_size, f"{box.name} is sparse"
    os.kill(pid, signal.SIGKILL)
    finish(running)


# Where the record cannot be


def warnings_in(stderr: bytes) -> list[bytes]:
    return [line for line in stderr.splitlines() if line.startswith(b"holdfast:")]


def check_one_warning_and_the_programs_own_end(holdfast, environment, prefix=()):
    elsewhere = Holdfast(holdfast.binary, holdfast.home, prefix)
    for code in (0, 7):
        ended = elsewhere.run("/bin/sh", "-c", f"echo out; exit {code}", env=environment)
        assert ended.returncode == code
        assert ended.stdout == b"out\n"
        if code == 0:
            assert len(ended.stderr.splitlines()) == 1, ended.stderr
        assert len(warnings_in(ended.stderr)) in (1, 2), ended.stderr


def test_a_home_below_a_file_costs_one_warning(holdfast, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "runtime").mkdir(mode=0o700)
    environment = holdfast.environment | {
        "HOLDFAST_HOME": str(tmp_path / "file" / "home"),
        "XDG_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    check_one_warning_and_the_programs_own_end(holdfast, environment)
    assert list((tmp_path / "runtime").rglob("run.json"))


def test_a_home_that_others_can_write_to_costs_one_warning_and_holds_nothing(holdfast, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    (tmp_path / "runtime").mkdir(mode=0o700)
    environment = holdfast.environment | {
        "HOLDFAST_HOME": str(shared / "home"),
        "XDG_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    check_one_warning_and_the_programs_own_end(holdfast, environment)
    assert not list(shared.rglob("run.json"))
    assert list((tmp_path / "runtime").rglob("run.json"))
    ended = holdfast.run("true", env=environment, text=True)
    assert "shared can be written to by every user" in ended.stderr
    # Under the sticky bit nobody can remove our files.
    shared.chmod(0o1777)
    assert holdfast.run("true", env=environment).stderr == b""
    assert list(shared.rglob("run.json"))


def test_a_run_that_another_user_swapped_in_is_neither_written_to_nor_read(holdfast, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("acting as two users needs root")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, 65534, 65534)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o001 == 0:
            folder.chmod(folder.stat().st_mode | 0o011)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    subprocess.run([*as_nobody, "mkdir", "-p", theirs / "home" / "runs"], check=True)
    (tmp_path / "runtime").mkdir(mode=0o700)
    environment = holdfast.environment | {
        "HOLDFAST_HOME": str(theirs / "home"),
        "XDG_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    ended = holdfast.run(*DIES, env=environment, text=True)
    assert ended.returncode == -signal.SIGSEGV
    assert "belongs to user 65534" in ended.stderr
    assert not list((theirs / "home" / "runs").iterdir())
    (run,) = (tmp_path / "runtime" / "holdfast" / "runs").iterdir()
    assert (run / "verdict.json").exists()


def test_a_full_disk_costs_one_warning(holdfast, small_disk, tmp_path):
    (tmp_path / "runtime").mkdir(mode=0o700)
    with pytest.raises(OSError, match="No space"), (small_disk / "filler").open("wb") as file:
        while True:
            file.write(b"x" * MIB)
    environment = holdfast.environment | {
        "HOLDFAST_HOME": str(small_disk / "home"),
        "XDG_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    check_one_warning_and_the_programs_own_end(holdfast, environment)


def test_a_machine_with_nowhere_to_write_costs_one_warning(holdfast):
    if os.geteuid() != 0:
        pytest.skip("taking away all writable places needs root")
    take_away = """
    for place in /tmp /dev/shm; do
        mount --bind $place $place && mount -o remount,bind,ro $place || exit 99
    done
    exec "$@"
    """
    environment = holdfast.environment | {
        "HOLDFAST_HOME": "/proc/self/home",
        "XDG_RUNTIME_DIR": "/proc/self/runtime",
    }
    prefix = ["unshare", "--mount", "/bin/sh", "-c", take_away, "sh"]
    check_one_warning_and_the_programs_own_end(holdfast, environment, prefix)


def test_a_program_that_fills_the_disk_of_its_own_record_is_still_explained(holdfast, small_disk):
    subprocess.run(["mount", "-o", "remount,size=24m", small_disk], check=True)
    beside = Holdfast(holdfast.binary, small_disk / "home")
    verdict = beside.verdict_of(*program("fill_disk.py", small_disk / "checkpoint"))
    assert verdict["end"]["slug"] == "disk-full"


# Names


def test_spaces_and_other_scripts_in_paths_and_arguments(holdfast, tmp_path):
    here = tmp_path / "Gewicht für 模型"
    here.mkdir()
    script = here / "train it.py"
    script.write_text("import sys\nraise ValueError(sys.argv[1])\n")
    elsewhere = Holdfast(holdfast.binary, here / "the home")
    ended = elsewhere.run(PYTHON, script.name, "größer 💥", cwd=here)
    assert ended.returncode == 1
    verdict = elsewhere.why()
    assert verdict["run"]["command"] == [PYTHON, "train it.py", "größer 💥"]
    assert verdict["end"]["where"]["file"].endswith("train it.py")
    assert verdict["end"]["where"]["line"] == 2
    assert len(elsewhere.runs()) == 1


def test_an_argument_that_is_no_text_does_not_spoil_the_verdict(holdfast):
    line = holdfast.line("/bin/sh", "-c", "exit 3")
    ended = subprocess.run([*line, b"\xff\xfe\x1b[31m"], env=holdfast.environment)
    assert ended.returncode == 3
    assert holdfast.why()["end"]["slug"] == "exit-called"
    assert "\x1b" not in holdfast.call("why").stdout


# Secrets


def test_secrets_are_nowhere_in_the_record(holdfast):
    arguments = [
        "--api-key=5ecretArgument1",
        "--token",
        "5ecretArgument2",
        "WANDB_API_KEY=5ecretArgument3",
        "--password",
        "5ecretArgument4",
        "hf_5ecretArgumentabcdefghijklmnopqrstuvw",
        "https://user:5ecretArgument6@example.org/data",
        "PGPASSWORD=5ecretArgument7",
        "--auth",
        "me:5ecretArgument8",
        "https://example.org/x?sig=5ecretArgument9abc",
        "Cookie: id=5ecretArgument10",
    ]
    environment = holdfast.environment | {
        "HF_TOKEN": "5ecretValue1",
        "AWS_SECRET_ACCESS_KEY": "5ecretValue2",
        "SOME_SETTING": "5ecretValue3",
    }
    running, _ = holdfast.start_ready(
        *program("wait_with_secrets.py", *arguments), stdin=subprocess.PIPE, env=environment
    )
    (run,) = holdfast.runs()
    # Written once a second.
    eventually("the child is recorded", lambda: b"input()" in all_bytes_of(run))
    recorded = [all_bytes_of(run)]
    finish(running)
    recorded.append(all_bytes_of(run))
    for content in recorded:
        assert b"wait_with_secrets.py" in content
        assert b"5ecret" not in content
    assert "5ecret" not in holdfast.call("why").stdout


# What is left after a kill


@pytest.mark.parametrize("victims", ["program", "supervisor", "both", "whole group"])
def test_why_works_on_what_a_kill_leaves(holdfast, victims):
    running, pid = holdfast.start_ready(*program("wait.py"), start_new_session=True)
    if victims == "whole group":
        os.killpg(running.pid, signal.SIGKILL)
    if victims in ("supervisor", "both"):
        os.kill(running.pid, signal.SIGKILL)
    if victims in ("program", "both"):
        os.kill(pid, signal.SIGKILL)
    finish_of = running.wait(timeout=PATIENCE)
    assert finish_of == -signal.SIGKILL
    eventually("the program ends", lambda: not proc.is_running(pid))
    running.stdout.close()
    verdict = holdfast.why()
    assert verdict["outcome"] == "died"
    assert verdict["end"]["slug"] in {"killed", "unknown-kill"}
    assert "oom" not in verdict["root"]["slug"]
    if victims != "program":
        assert verdict["missing"]
    if victims == "whole group":  # the sentry, too, so nobody saw the end
        assert verdict["end"]["confidence"] != "certain"


def test_a_run_can_be_asked_about_while_it_goes_on(holdfast):
    running, pid = holdfast.start_ready(*program("wait.py"))
    verdict = holdfast.why()
    assert verdict["outcome"] == "running"
    assert verdict["exit"] == {"code": None, "signal": None}
    assert verdict["run"]["ended"] is None
    assert verdict["process"]["pid"] == pid
    assert holdfast.call("why").returncode == 0
    os.kill(pid, signal.SIGKILL)
    finish(running)


# Old runs


def test_the_last_twenty_runs_are_kept_and_one_going_on(holdfast):
    running, pid = holdfast.start_ready(*program("wait.py"))
    for _ in range(23):
        holdfast.run("true")
    an_hour_ago = time.time() - 3600
    for run in holdfast.runs():
        os.utime(run, (an_hour_ago, an_hour_ago))
    newest = [run.name for run in holdfast.runs()[-20:]]
    pruned = holdfast.call("runs", "prune")
    assert pruned.returncode == 0, pruned.stderr
    left = [run.name for run in holdfast.runs()]
    assert left[-20:] == newest
    assert len(left) == 21
    assert holdfast.why(left[0])["outcome"] == "running"
    os.kill(pid, signal.SIGKILL)
    finish(running)


def test_good_runs_do_not_push_out_a_death(holdfast):
    holdfast.run(*DIES)
    (death,) = holdfast.runs()
    for _ in range(22):
        holdfast.run("true")
    an_hour_ago = time.time() - 3600
    for run in holdfast.runs():
        os.utime(run, (an_hour_ago, an_hour_ago))
    assert holdfast.call("runs", "prune").returncode == 0
    assert len(holdfast.runs()) == 21
    assert holdfast.why(death.name)["end"]["slug"] == "segfault"


def test_old_runs_are_removed_at_the_end_of_a_run(holdfast):
    for _ in range(22):
        holdfast.run("true")
    an_hour_ago = time.time() - 3600
    for run in holdfast.runs():
        os.utime(run, (an_hour_ago, an_hour_ago))
    holdfast.run("true")
    assert len(holdfast.runs()) == 20
