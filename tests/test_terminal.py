"""On a real terminal a watched program behaves as without Holdfast, job control included."""

import os
import shlex
import signal

import pytest

from support import proc
from support.run import PYTHON, eventually, program
from support.terminal import CTRL_BACKSLASH, CTRL_C, CTRL_D, CTRL_Z, Terminal

PROMPT = rb"shell> $"
# Programs that are suspended here start no others: a shell that is stopped in the middle of vfork
# hangs, with or without Holdfast.


@pytest.fixture
def terminal(holdfast):
    """Opens terminals: terminal(command) runs it watched, terminal(watched=False, ...) does not."""
    opened = []

    def open_one(*command, watched=True, **size):
        environment = holdfast.environment | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        line = holdfast.line(*command) if watched else list(command)
        opened.append(Terminal(line, environment, **size))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def shell(terminal):
    """An interactive bash, waiting at its prompt."""
    bash = terminal("/bin/bash", "--norc", "--noprofile", "-i", watched=False)
    # Bracketed paste would fill the screen with escapes around every line.
    bash.type_line("bind 'set enable-bracketed-paste off'; PS1='shell''> '")
    bash.expect(PROMPT)
    return bash


def watched(holdfast, *command) -> str:
    return shlex.join(holdfast.line(*command))


def test_the_program_has_the_terminal_itself(terminal):
    window = terminal(*program("terminal_facts.py"), rows=33, columns=99)
    window.expect(rb"terminals True True True\r\n")
    window.expect(rb"foreground True\r\n")
    window.expect(rb"window 33x99\r\n")
    window.resize(40, 120)
    window.expect(rb"window 40x120\r\n")
    window.type_line("")
    assert window.wait() == 0


def test_a_progress_bar_passes_unchanged(terminal):
    seen = []
    for is_watched in (False, True):
        window = terminal(*program("progress.py"), watched=is_watched)
        assert window.wait() == 0
        seen.append(window.shown)
    assert seen[0] == seen[1]
    assert b"\r\x1b[32m100%" in seen[0]


def test_an_interrupt_key_interrupts_once(terminal):
    window = terminal(*program("count_interrupts.py"))
    window.expect(rb"ready\r\n")
    for count in (1, 2, 3):
        window.type(CTRL_C)
        window.expect(rb"interrupt %d\r\n" % count)
    window.expect(rb"that was all\r\n")
    assert window.wait() == 0
    assert window.shown.count(b"interrupt") == 3


def test_an_interrupt_key_interrupts_once_below_a_shell_script(terminal, holdfast):
    inner = watched(holdfast, *program("count_interrupts.py"))
    window = terminal("/bin/bash", "-c", f"trap : INT; {inner}; echo over", watched=False)
    window.expect(rb"ready\r\n")
    for count in (1, 2, 3):
        window.type(CTRL_C)
        window.expect(rb"interrupt %d\r\n" % count)
    window.expect(rb"over\r\n")
    assert window.wait() == 0
    assert window.shown.count(b"interrupt") == 3


def test_an_interrupt_nobody_catches_ends_as_an_interrupt(terminal, holdfast):
    window = terminal(PYTHON, "-c", "import time; print('ready'); time.sleep(600)")
    window.expect(rb"ready\r\n")
    window.type(CTRL_C)
    assert window.wait() == 130
    assert b"KeyboardInterrupt" in window.shown
    assert holdfast.why()["end"]["slug"] == "interrupted"


def test_the_quit_key_ends_the_program_as_the_shell_expects(shell, holdfast):
    sleep = [PYTHON, "-c", "import time; print('read''y', flush=True); time.sleep(600)"]
    shell.type_line(watched(holdfast, *sleep))
    shell.expect(rb"ready\r\n")
    shell.type(CTRL_BACKSLASH)
    shell.expect(PROMPT)
    shell.type_line("echo status $?")
    shell.expect(rb"status 131\r\n")


def test_a_program_can_be_suspended_and_brought_back(shell, holdfast):
    shell.type_line(watched(holdfast, "/bin/sh", "-c", "echo ready $$; exec cat"))
    pid = int(shell.expect(rb"ready (\d+)\r\n")[1])
    for word in ("one", "two"):
        shell.type(CTRL_Z)
        shell.expect(rb"\[1\]\+  Stopped")
        shell.expect(PROMPT)
        shell.type_line("echo at the pro''mpt")
        shell.expect(rb"at the prompt\r\n")
        shell.type_line("fg")
        shell.wait_until_foreground(pid)
        shell.type_line(word)
        shell.expect(rb"%s\r\n%s\r\n" % (word.encode(), word.encode()))
    shell.type(CTRL_D)
    shell.expect(PROMPT)
    shell.type_line("echo status $?")
    shell.expect(rb"status 0\r\n")


def test_a_suspended_program_can_go_on_in_the_background(shell, holdfast, tmp_path):
    shell.type_line(watched(holdfast, *program("wait_for_file.py", tmp_path / "go")))
    shell.expect(rb"ready \d+\r\n")
    shell.type(CTRL_Z)
    shell.expect(rb"Stopped")
    shell.expect(PROMPT)
    shell.type_line("bg")
    shell.expect(rb"\[1\]\+ .*&\r\n")
    (tmp_path / "go").touch()
    shell.expect(rb"it appeared")  # the shell's prompt may come between it and its newline
    shell.type_line("wait %1; echo status $?")
    shell.expect(rb"(status 6|Exit 6)")


def test_a_background_program_that_reads_the_terminal_is_stopped_and_can_be_brought_back(
    shell, holdfast
):
    script = "echo ready $$; read line; echo got $line"  # all of it within the shell
    shell.type_line(watched(holdfast, "/bin/sh", "-c", script) + " &")
    pid = int(shell.expect(rb"ready (\d+)\r\n")[1])
    shell.type_line("until jobs %1 | grep -q Stopped; do sleep 0.05; done; echo it sto''pped")
    shell.expect(rb"it stopped\r\n")
    shell.type_line("fg")
    shell.wait_until_foreground(pid)
    shell.type_line("some words")
    shell.expect(rb"got some words\r\n")


def test_a_pipeline_is_one_job(shell, holdfast):
    shell.type_line(
        watched(holdfast, "/bin/sh", "-c", "echo ready $$ >&2; exec sleep 600") + " | cat"
    )
    pid = int(shell.expect(rb"ready (\d+)\r\n")[1])
    shell.type(CTRL_Z)
    shell.expect(rb"Stopped")
    shell.expect(PROMPT)
    shell.type_line("fg")
    shell.wait_until_foreground(pid)
    shell.type(CTRL_C)
    shell.expect(PROMPT)
    shell.type_line("echo status ${PIPESTATUS[0]}; jobs | wc -l")
    shell.expect(rb"status 130\r\n0\r\n")


def test_a_password_is_not_shown(terminal):
    code = "import getpass; print('length', len(getpass.getpass('Password: ')))"
    window = terminal(PYTHON, "-c", code)
    window.expect(rb"Password: ")
    window.type_line("hunter2")
    window.expect(rb"length 7\r\n")
    assert window.wait() == 0
    assert b"hunter2" not in window.shown


def test_input_is_edited_and_read_as_usual(terminal):
    window = terminal(PYTHON, "-c", "print('hello', input('name: '))")
    window.expect(rb"name: ")
    window.type(b"worlx\x7fd\r")
    window.expect(rb"hello world\r\n")
    assert window.wait() == 0


def test_raw_mode_works_and_is_put_back(shell, holdfast):
    shell.type_line("before=$(stty -g)")
    shell.expect(PROMPT)
    shell.type_line(watched(holdfast, *program("raw_key.py")))
    shell.expect(rb"press")
    shell.type(CTRL_C)
    shell.expect(rb"key b'\\x03'\r\n")
    shell.expect(PROMPT)
    shell.type_line('[ "$before" = "$(stty -g)" ] && echo as be""fore')
    shell.expect(rb"as before\r\n")


def test_a_lost_terminal_hangs_up_the_program(terminal, holdfast):
    window = terminal(PYTHON, "-c", "import os, time; print('ready', os.getpid()); time.sleep(600)")
    pid = int(window.expect(rb"ready (\d+)\r\n")[1])
    window.hang_up()
    assert window.wait() == 128 + 1
    assert not proc.is_running(pid)
    assert holdfast.why()["end"]["slug"] == "hangup"


def test_the_program_stays_in_the_foreground_group_of_its_shell(shell, holdfast):
    look = "import os; print('the fore''ground', os.tcgetpgrp(0) == os.getpgrp())"
    shell.type_line(watched(holdfast, PYTHON, "-c", look))
    shell.expect(rb"the foreground True\r\n")


def test_the_verdict_on_a_terminal_has_colours_and_fits_the_window(terminal):
    window = terminal("/bin/sh", "-c", "kill -SEGV $$", columns=72)
    assert window.wait() == 139
    assert b"HF301" in window.shown
    assert b"\x1b[" in window.shown


def test_a_suspended_program_continued_by_hand_takes_its_supervisor_along(
    shell, holdfast, tmp_path
):
    shell.type_line(watched(holdfast, *program("wait_for_file.py", tmp_path / "go")))
    pid = int(shell.expect(rb"ready (\d+)\r\n")[1])
    shell.type(CTRL_Z)
    shell.expect(rb"Stopped")
    shell.expect(PROMPT)
    eventually("the program stops", lambda: proc.state(pid) == "T")
    os.kill(pid, signal.SIGCONT)
    (tmp_path / "go").touch()
    shell.type_line("while jobs %1 >/dev/null 2>&1; do sleep 0.05; done; echo it is do''ne")
    shell.expect(rb"it is done\r\n")
    assert holdfast.why()["exit"]["code"] == 6
