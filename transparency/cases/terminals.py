"""Programs at a terminal: its state, its size, its keys and job control."""

from __future__ import annotations

import os
import pty
import select
import struct
import termios
import time
from fcntl import ioctl

from transparency.case import Case, argv, drive
from transparency.stage import Stage, ending
from transparency.terminal import Seat, at_default


class Terminal:
    """A terminal with a program in it, as a user has."""

    def __init__(self, stage: Stage, *words: str, dies_of_hang_up: bool = False):
        line = stage.line(*words)
        self.stage = stage
        self.said = b""
        self.fd, slave = pty.openpty()
        self.size(24, 80)

        def become() -> None:
            at_default()
            for fd in range(3):
                os.dup2(slave, fd)
            os.closerange(3, 10) if slave < 10 else os.close(slave)
            os.execvpe(line[0], line, stage.env)

        self.seat = Seat(slave, become, dies_of_hang_up=dies_of_hang_up)
        os.close(slave)

    def size(self, rows: int, columns: int) -> None:
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, text: bytes, patience: float = 10.0) -> bool:
        deadline = time.monotonic() + patience
        while text not in self.said and time.monotonic() < deadline:
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            try:
                got = os.read(self.fd, 65536)
            except OSError:
                break
            if not got:
                break
            self.said += got
        return text in self.said

    def type(self, text: bytes) -> None:
        os.write(self.fd, text)

    def end(self) -> str:
        deadline = time.monotonic() + self.stage.case.seconds
        while time.monotonic() < deadline:
            status = self.seat.status()
            if status is not None:
                self.until(b"\0never\0", 1.0)  # reads everything that is there
                return ending(status)
            self.until(b"\0never\0", 0.05)
        return "hangs"

    def flags(self) -> str:
        state = termios.tcgetattr(self.fd)
        return f"{state[0]:x} {state[1]:x} {state[2]:x} {state[3]:x}"


def _conversation(name: str, words: list[str], talk: list[tuple[bytes, bytes]], **how) -> Case:
    """`talk`: what to type after each output."""

    @drive(f"terminals.{name}", **how)
    def play(stage: Stage):
        terminal = Terminal(stage, *words)
        missed = []
        for wanted, typed in talk:
            if wanted and not terminal.until(wanted):
                missed.append(wanted)
            terminal.type(typed)
        status = terminal.end()
        return {
            "status": status,
            "terminal": terminal.said,
            "missed": missed,
            "state after": terminal.flags(),
        }

    return play


@drive("terminals.window-size-changes")
def resized(stage: Stage):
    code = (
        "import os, signal\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])\n"
        "os.write(1, b'ready\\n')\n"
        "seen = set()\n"
        "while (20, 10) not in seen:\n"
        "  signal.sigwait([signal.SIGWINCH])\n"
        "  size = tuple(os.get_terminal_size())\n"
        "  if size not in seen and size != (80, 24): print(size, flush=True)\n"
        "  seen.add(size)\n"
    )
    terminal = Terminal(stage, "{python}", "-c", code)
    terminal.until(b"ready")
    terminal.size(40, 132)
    terminal.until(b"(132, 40)")
    terminal.size(10, 20)
    return {"status": terminal.end(), "terminal": terminal.said}


@drive("terminals.hang-up")
def hang_up(stage: Stage):
    """The terminal goes away: the program gets SIGHUP."""
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    code = (
        "import os, signal, sys\n"
        f"signal.signal(signal.SIGHUP, lambda *a: (os.write({writer}, b'hup'), os._exit(5)))\n"
        "print('ready', flush=True)\nsignal.pause()\n"
    )
    terminal = Terminal(stage, "{python}", "-c", code, dies_of_hang_up=True)
    os.close(writer)
    terminal.until(b"ready\r\n")
    os.close(terminal.fd)
    told = os.read(reader, 10) if select.select([reader], [], [], 5)[0] else b"(nothing)"
    deadline = time.monotonic() + 5
    while terminal.seat.status() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    status = terminal.seat.status()
    return {"told": told, "status": ending(status or 0), "left": stage.left()}


_JOBS = [
    (b"$ ", b"stty -echo; PS1='> '; PS2=\n"),
    (b"\n> ", b"sh -c 'echo started; exec sleep 50'\n"),
    (b"started", b"\x1a"),
    (b"Stopped", b"jobs; fg\n"),
    (b"sleep 50'\r\nsh", b"\x03"),
    (b"\n> ", b"echo status $?; exit 4\n"),
]

_PYTHON_TTY = (
    "import os, sys, termios; print(os.isatty(0), os.isatty(1), os.isatty(2), os.ttyname(0) != '',"
    "os.tcgetpgrp(0) == os.getpgrp(), os.getsid(0) == os.getpgrp(), tuple(os.get_terminal_size()),"
    "termios.tcgetattr(0)[:4])"
)

CASES = [
    argv("terminals.facts.python", "{python}", "-c", _PYTHON_TTY, out="pty"),
    argv("terminals.stty", "stty", "-a", out="pty"),
    argv("terminals.tput", "tput", "cols", out="pty", env={"TERM": "xterm"}, needs=("tput",)),
    argv("terminals.raw-left-behind", "sh", "-c", "stty raw -echo; stty -a", out="pty"),
    argv("terminals.ls-colours", "ls", "--color=auto", "/dev/fd/../", out="pty"),
    argv("terminals.error", "sh", "-c", "echo oops >&2; exit 3", out="pty"),
    argv("terminals.python-error", "{python}", "-c", "1/0", out="pty"),
    argv("terminals.opens-dev-tty", "sh", "-c", "echo hello >/dev/tty; tty >/dev/null", out="pty"),
    argv(
        "terminals.background-write",
        "sh",
        "-c",
        "stty tostop; (echo from behind) & wait",
        out="pty",
    ),
    _conversation("ctrl-c", ["sh", "-c", "echo r; exec sleep 50"], [(b"r\r\n", b"\x03")]),
    _conversation(
        "ctrl-c-caught",
        ["bash", "-c", "trap 'echo int; exit 3' INT; echo r; while :; do sleep .05; done"],
        [(b"r\r\n", b"\x03")],
    ),
    _conversation(
        "ctrl-backslash", ["sh", "-c", "ulimit -c 0; echo r; exec sleep 50"], [(b"r\r\n", b"\x1c")]
    ),
    _conversation("ctrl-d", ["cat"], [(b"", b"line\n"), (b"line\r\nline", b"\x04")]),
    _conversation("input", ["{python}", "-c", "print(input('name? '))"], [(b"name? ", b"me\n")]),
    _conversation(
        "getpass",
        ["{python}", "-c", "import getpass; print(len(getpass.getpass()))"],
        [(b"assword", b"secret\n")],
    ),
    _conversation(
        "python-prompt",
        ["{python}", "-i", "-q", "-E"],
        [(b">>> ", b"1 + 1\n"), (b"2\r\n>>> ", b"exit(3)\n")],
        env={"TERM": "dumb"},
    ),
    _conversation(
        "bash",
        ["bash", "--norc", "--noprofile", "-i", "+o", "history"],
        [(b"$ ", b"echo a$((1+1))b\n"), (b"a2b\r\n$ ", b"exit 5\n")],
        env={"TERM": "dumb", "PS1": "$ "},
    ),
    _conversation(
        "dash",
        ["dash", "-i"],
        [(b"$ ", b"echo a$((1+1))b\n"), (b"a2b\r\n$ ", b"exit 5\n")],
        needs=("dash",),
        env={"PS1": "$ "},
    ),
    _conversation(
        "zsh",
        ["zsh", "-f", "+Z", "-i"],
        [(b"z> ", b"echo a$((1+1))b\n"), (b"a2b\r\n", b"exit 5\n")],
        needs=("zsh",),
        env={"TERM": "dumb", "PS1": "z> "},
    ),
    _conversation(
        "job-control",
        ["bash", "--norc", "--noprofile", "-i", "+o", "history"],
        _JOBS,
        env={"TERM": "dumb", "PS1": "$ "},
    ),
    _conversation(
        "script", ["script", "-qec", "echo in script; exit 3", "/dev/null"], [], needs=("script",)
    ),
    _conversation(
        "pdb",
        ["{python}", "-c", "breakpoint()\nprint('end')"],
        [(b"(Pdb) ", b"c\n")],
        env={"PYTHONSTARTUP": ""},
    ),
    _conversation(
        "ctrl-z-of-the-program",
        ["{python}", "-c", "import os, signal; os.kill(os.getpid(), signal.SIGCONT);print('on')"],
        [],
    ),
    resized,
    hang_up,
]
