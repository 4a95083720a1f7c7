"""A real terminal (a pty) with a program in it, used as a person would: type, look, resize."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence

from support.run import PATIENCE, eventually

CTRL_C, CTRL_D, CTRL_Z, CTRL_BACKSLASH = b"\x03", b"\x04", b"\x1a", b"\x1c"


class Terminal:
    """Runs a command as leader of a session whose terminal is ours."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], rows=24, columns=80):
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            try:
                _set_size(0, rows, columns)
                os.execvpe(command[0], list(command), dict(env))
            finally:
                os._exit(127)
        self._unread = b""  # shown, but not expected yet
        self.shown = b""  # everything the terminal ever showed
        self._status: int | None = None

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def type_line(self, line: str) -> None:
        # Not a carriage return: while the shell changes modes it may not become a newline.
        self.type(line.encode() + b"\n")

    def wait_until_foreground(self, pid: int) -> None:
        """Until that process has the terminal in the mode for whole lines, as after `fg`."""

        def is_its_own():
            lines = termios.tcgetattr(self._master)[3] & termios.ICANON
            return lines and os.tcgetpgrp(self._master) == os.getpgid(pid)

        eventually(f"process {pid} has the terminal", is_its_own)

    def expect(self, pattern: bytes) -> re.Match[bytes]:
        """Waits until the terminal shows this; everything up to it counts as read."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self._unread)):
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern!r} was not shown; shown was {self._unread!r}"
            if not self._read(left):
                raise AssertionError(f"ended before {pattern!r}; shown was {self._unread!r}")
        self._unread = self._unread[found.end() :]
        return found

    def resize(self, rows: int, columns: int) -> None:
        _set_size(self._master, rows, columns)

    def hang_up(self) -> None:
        """As when the window is closed or the network connection is lost."""
        os.close(self._master)
        self._master = -1

    def wait(self) -> int:
        """Reads on until the command ends; its status as a shell would give it."""
        while self._master >= 0 and self._read(PATIENCE):
            pass
        if self._status is None:
            _, status = os.waitpid(self.pid, 0)
            code = os.waitstatus_to_exitcode(status)
            self._status = code if code >= 0 else 128 - code
        return self._status

    def close(self) -> None:
        if self._master >= 0:
            self.hang_up()
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def _read(self, seconds: float) -> bool:
        """Reads what the terminal shows next; False once no process has it open any more."""
        if not select.select([self._master], [], [], seconds)[0]:
            return True
        try:
            seen = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self._unread += seen
        self.shown += seen
        return bool(seen)


def _set_size(descriptor: int, rows: int, columns: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
