"""A program at a terminal, below a session leader of ours, as below a user's shell.

If the program itself were the leader, its end would hang up the terminal, and the kernel would
then discard output that nobody has read yet: two plain runs would differ.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import termios
from collections.abc import Callable


class Seat:
    """`become` must not return: it is called in the program's process, with 0 to 2 at the terminal
    and the foreground its own."""

    def __init__(self, slave: int, become: Callable[[], None], *, dies_of_hang_up: bool = False):
        self._dies_of_hang_up = dies_of_hang_up
        self._told, tell = os.pipe()
        self._held, self._hold = os.pipe()
        self.leader = os.fork()
        if self.leader == 0:
            try:
                os.close(self._told)
                os.close(self._hold)
                self._lead(slave, tell, become)
            finally:
                os._exit(99)
        os.close(tell)
        os.close(self._held)
        self.program = struct.unpack("i", os.read(self._told, 4))[0]
        self._status: int | None = None

    def _lead(self, slave: int, tell: int, become: Callable[[], None]) -> None:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        ready, go = os.pipe()
        program = os.fork()
        if program == 0:
            os.close(go)
            os.read(ready, 1)
            os.close(ready)
            for fd in (tell, self._held):
                os.close(fd)
            become()
            os._exit(99)
        if not self._dies_of_hang_up:  # or it would die before it can say how the program ended
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.setpgid(program, program)
        os.tcsetpgrp(slave, program)
        os.write(tell, struct.pack("i", program))
        os.close(ready)
        os.close(go)  # now it may begin
        # As long as we hold a terminal open, it never ends.
        for fd in range(100):
            if fd not in (tell, self._held):
                with contextlib.suppress(OSError):
                    os.close(fd)
        _, status = os.waitpid(program, 0)
        os.write(tell, struct.pack("i", status))
        os.read(self._held, 1)
        os._exit(0)

    def status(self) -> int | None:
        """How the program ended, once it has; if its leader is gone, it is our own child."""
        if self._status is None and select.select([self._told], [], [], 0)[0]:
            got = os.read(self._told, 4)
            if got:
                self._status = struct.unpack("i", got)[0]
            else:
                with contextlib.suppress(ChildProcessError):
                    pid, status = os.waitpid(self.program, os.WNOHANG)
                    self._status = status if pid else None
        return self._status

    def leave(self) -> None:
        """Lets the leader end."""
        os.close(self._hold)
        os.close(self._told)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.leader, 0)


def at_default() -> None:
    """Python ignores these signals for itself; a program must not inherit that."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
