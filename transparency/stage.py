"""One run of one case, in its own process: starts it, reads it, and returns what was seen."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

from transparency import proc
from transparency.case import RUN, Case
from transparency.own_output import without_verdict
from transparency.terminal import Seat, at_default
from transparency.toolbox import Toolbox
from transparency.wiring import Wires

_PR_SET_CHILD_SUBREAPER = 36
_SHOWN = 4096  # of a long text, this much is kept beside its digest


def ending(status: int) -> str:
    """The end as a parent sees it."""
    if os.WIFSIGNALED(status):
        return _name(os.WTERMSIG(status))
    return f"exit {os.WEXITSTATUS(status)}"


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Stage:
    """The surroundings of a case: the same folder, environment and descriptors each time."""

    def __init__(self, case: Case, tools: Toolbox, binary: str, folder: Path, watched: bool):
        self.case = case
        self.tools = tools
        self.watched = watched
        self.folder = folder / "here"
        self.binary = binary
        self.prefix = [binary, "run", *case.options, "--"] if watched else []
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HOLDFAST", "LD_PRELOAD"))}
        self.env = kept | {
            "HOLDFAST_HOME": str(folder / "home"),
            "XDG_RUNTIME_DIR": str(folder / "runtime"),  # where records go instead
            "LC_ALL": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            "TR_PROGRAMS": tools.fill_in("{programs}"),
            "TR_PYTHON": tools.python,
            **{name: tools.fill_in(value) for name, value in case.env.items()},
        }
        for place in (self.folder, folder / "home"):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            place.chmod(0o777)
        if os.geteuid() == 0:
            # Cases that change their user need their own place for records.
            (folder / "home").chmod(0o700)

    def play(self) -> dict[str, bytes]:
        self.become_subreaper()
        os.chdir(self.folder)
        self.env["TR_STAGE"] = str(os.getpid())
        seen = self.case.drive(self) if self.case.drive else self._plain_play()
        proc.end_everything_below_us()
        return {name: self._as_bytes(value) for name, value in seen.items()}

    @staticmethod
    def become_subreaper() -> None:
        """Processes that a run leaves behind become ours, so that we can see and end them."""
        if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError("cannot become a subreaper")

    def command(self) -> list[str]:
        if self.case.argv:
            return self.line(*self.case.argv)
        words = shlex.join(self.prefix)
        script = self.tools.fill_in(self.case.script)
        return [self.tools.tool(self.case.shell), "-c", _put(words, script)]

    def line(self, *words: str) -> list[str]:
        return [*self.prefix, *map(self.tools.fill_in, words)]

    def start(self, *words: str, **how) -> subprocess.Popen[bytes]:
        """For cases that drive the program themselves."""
        how.setdefault("env", self.env)
        how.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(self.line(*words), **how)

    def wait(self, running: subprocess.Popen[bytes]) -> str:
        """How it ended; `ended` in the facts distinguishes an end from a hang."""
        try:
            code = running.wait(timeout=self.case.seconds)
        except subprocess.TimeoutExpired:
            return "hangs"
        return _name(-code) if code < 0 else f"exit {code}"

    def left(self) -> str:
        """What still lives below us once everything that was about to end has ended."""
        deadline = time.monotonic() + 2.5
        while time.monotonic() < deadline:
            proc.reap_zombies()
            names = sorted(proc.comm(pid) for pid in proc.living(os.getpid()))
            if not names:
                break
            time.sleep(0.01)
        return " ".join(names)

    def _plain_play(self) -> dict[str, object]:
        wires = Wires(self.case.out, self.folder)
        stdin, feed = self._stdin(wires)
        seat, pid = None, 0
        if wires.terminal >= 0:
            seat = Seat(wires.terminal, lambda: self._become(wires, stdin))
        else:
            pid = os.fork()
            if pid == 0:
                self._become(wires, stdin)
        wires.close_theirs()
        if stdin > 2 and stdin not in wires.theirs and stdin != wires.terminal:
            os.close(stdin)
        feeder = self._feed(feed) if feed >= 0 else 0
        status: list[int] = []

        def ended() -> bool:
            if not status and seat:
                value = seat.status()
                status.extend([] if value is None else [value])
            elif not status:
                got, value = os.waitpid(pid, os.WNOHANG)
                status.extend([value] if got == pid else [])
            return bool(status)

        wires.read(ended, self.case.seconds)
        deadline = time.monotonic() + (self.case.seconds if not wires.reading else 1.0)
        while not ended() and time.monotonic() < deadline:
            time.sleep(0.005)
        if feeder:
            with contextlib.suppress(ProcessLookupError):
                os.kill(feeder, signal.SIGKILL)
            os.waitpid(feeder, 0)
        whole = wires.read(lambda: False, 1.5) if status else False
        if seat and status:
            seat.leave()
        seen: dict[str, object] = {"status": ending(status[0]) if status else "hangs"}
        seen["left"] = self.left() if status else ""
        if not whole:
            proc.end_everything_below_us()
            wires.read(lambda: False, 2.0)
        for name, text in wires.said.items():
            seen[name] = bytes(text)
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                seen[f"file {path.relative_to(self.folder)}"] = path.read_bytes()
        return seen

    def _stdin(self, wires: Wires) -> tuple[int, int]:
        """The child's descriptor (-1: closed), and ours to write to (-1: none)."""
        if wires.terminal >= 0:
            return wires.terminal, -1
        if self.case.stdin == "closed":
            return -1, -1
        if self.case.stdin == "pipe" or (isinstance(self.case.stdin, bytes) and self.case.stdin):
            reader, writer = os.pipe()
            return reader, writer
        return os.open("/dev/null", os.O_RDONLY), -1

    def _feed(self, fd: int) -> int:
        """Another process writes, because we read meanwhile; it also keeps an idle pipe open."""
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(OSError):
                rest = self.case.stdin if isinstance(self.case.stdin, bytes) else b""
                while rest:
                    rest = rest[os.write(fd, rest) :]
                if self.case.stdin == "pipe":
                    signal.pause()
            os._exit(0)
        os.close(fd)
        return pid

    def _become(self, wires: Wires, stdin: int) -> None:
        try:
            if wires.terminal < 0:
                os.setpgid(0, 0)  # a program that signals its own group must not hit us
            # To high numbers first, or a descriptor is overwritten before it is copied.
            high = [
                fcntl.fcntl(fd, fcntl.F_DUPFD, 100) if fd >= 0 else -1
                for fd in (stdin, wires.out, wires.err)
            ]
            os.closerange(0, 100)
            for target, fd in enumerate(high):
                if fd >= 0:
                    os.dup2(fd, target)
            os.closerange(3, 256)
            at_default()
            words = self.command()
            if self.case.before:
                self.case.before()
            os.execvpe(words[0], words, self.env)
        except OSError as error:  # status as in shells
            os._exit(127 if error.errno == errno.ENOENT else 126)
        finally:
            os._exit(99)

    def _as_bytes(self, value: object) -> bytes:
        text = value if isinstance(value, bytes) else str(value).encode()
        if self.watched:
            text = without_verdict(text)
        if self.case.mask:
            text = re.sub(self.case.mask.encode(), b"#", text)
        if len(text) > 4 * _SHOWN:
            digest = hashlib.sha256(text).hexdigest().encode()
            return b"%d bytes, sha256 %s, from %s" % (len(text), digest, text[:_SHOWN])
        return text


def _put(words: str, script: str) -> str:
    return re.sub(rf"\b{RUN}\b", lambda _: words, script)
