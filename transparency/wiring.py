"""The ways in which stdout and stderr of a program can be connected."""

from __future__ import annotations

import fcntl
import os
import pty
import selectors
import socket
import struct
import termios
import time
from collections.abc import Callable
from pathlib import Path

_WRITE = os.O_WRONLY | os.O_CREAT


class Wires:
    """Our ends for reading (`reading`: aspect -> descriptor) and the child's three descriptors."""

    def __init__(self, how: str, folder: Path):
        self.reading: dict[str, int] = {}
        self.theirs: list[int] = []
        self.out = -1  # -1: closed
        self.err = -1
        self.terminal = -1
        self.said: dict[str, bytearray] = {}
        getattr(self, "_" + how)(folder)
        self.said = {name: bytearray() for name in self.reading}

    def _keep(self, fd: int) -> int:
        self.theirs.append(fd)
        return fd

    def _pipe(self, name: str) -> int:
        reader, writer = os.pipe()
        self.reading[name] = reader
        return self._keep(writer)

    def _open(self, path: Path | str, flags: int) -> int:
        return self._keep(os.open(path, flags, 0o644))

    def _pipes(self, _: Path) -> None:
        self.out, self.err = self._pipe("stdout"), self._pipe("stderr")

    def _one(self, _: Path) -> None:
        self.out = self.err = self._pipe("output")

    def _files(self, folder: Path) -> None:
        self.out = self._open(folder / "out", _WRITE)
        self.err = self._open(folder / "err", _WRITE)

    def _append(self, folder: Path) -> None:
        self.out = self._open(folder / "both", _WRITE | os.O_APPEND)
        self.err = self._open(folder / "both", _WRITE | os.O_APPEND)

    def _onefile(self, folder: Path) -> None:
        self.out = self.err = self._open(folder / "both", _WRITE)

    def _sockets(self, _: Path) -> None:
        for name in ("stdout", "stderr"):
            ours, theirs = socket.socketpair()
            self.reading[name] = ours.detach()
            fd = self._keep(theirs.detach())
            if name == "stdout":
                self.out = fd
            else:
                self.err = fd

    def _terminal_pair(self, name: str) -> int:
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
        self.reading[name] = ours
        return self._keep(theirs)

    def _pty(self, _: Path) -> None:
        self.out = self.err = self.terminal = self._terminal_pair("terminal")

    def _ptyerr(self, _: Path) -> None:
        self.out, self.err = self._pipe("stdout"), self._terminal_pair("stderr")

    def _ptyout(self, _: Path) -> None:
        self.out, self.err = self._terminal_pair("stdout"), self._pipe("stderr")

    def _closed2(self, _: Path) -> None:
        self.out = self._pipe("stdout")

    def _closed1(self, _: Path) -> None:
        self.err = self._pipe("stderr")

    def _closed12(self, _: Path) -> None:
        pass

    def _full2(self, _: Path) -> None:
        self.out, self.err = self._pipe("stdout"), self._open("/dev/full", os.O_WRONLY)

    def _full1(self, _: Path) -> None:
        self.out, self.err = self._open("/dev/full", os.O_WRONLY), self._pipe("stderr")

    def _null2(self, _: Path) -> None:
        self.out, self.err = self._pipe("stdout"), self._open("/dev/null", os.O_WRONLY)

    def _readonly2(self, _: Path) -> None:
        self.out, self.err = self._pipe("stdout"), self._open("/dev/null", os.O_RDONLY)

    def _nonblocking(self, folder: Path) -> None:
        self._pipes(folder)
        os.set_blocking(self.out, False)
        os.set_blocking(self.err, False)

    def _fifo(self, folder: Path) -> None:
        self.out = self._pipe("stdout")
        os.mkfifo(folder / "fifo")
        self.reading["stderr"] = os.open(folder / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        self.err = self._open(folder / "fifo", os.O_WRONLY)
        os.set_blocking(self.reading["stderr"], True)

    def close_theirs(self) -> None:
        for fd in self.theirs:
            os.close(fd)
        self.theirs = []

    def read(self, until: Callable[[], bool], patience: float) -> bool:
        """Reads until every end is closed (True), `until` says so, or patience ends."""
        deadline = time.monotonic() + patience
        with selectors.DefaultSelector() as selector:
            for name, fd in self.reading.items():
                selector.register(fd, selectors.EVENT_READ, name)
            while selector.get_map():
                if until() or time.monotonic() > deadline:
                    return False
                for key, _ in selector.select(0.02):
                    try:
                        got = os.read(key.fd, 1 << 16)
                    except OSError:  # EIO: no process holds the terminal any more
                        got = b""
                    self.said[key.data] += got
                    if not got:
                        selector.unregister(key.fd)
                        os.close(self.reading.pop(key.data))
        return True
