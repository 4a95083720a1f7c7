"""Runs every case plain twice and watched once, several at a time, and compares."""

from __future__ import annotations

import fnmatch
import os
import pickle
import selectors
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from transparency import proc
from transparency.case import Case, Skip
from transparency.expected import EXPECTED, Expected, without_expected
from transparency.stage import Stage
from transparency.toolbox import Toolbox


@dataclass
class Difference:
    aspect: str
    plain: bytes
    watched: bytes


@dataclass
class Outcome:
    case: str
    skipped: str = ""
    broken: str = ""  # the case itself failed
    unsteady: list[Difference] = field(default_factory=list)  # between two plain runs
    differences: list[Difference] = field(default_factory=list)
    again: int = 0  # how many of three watched runs differed
    expected: list[Expected] = field(default_factory=list)
    seconds: float = 0.0
    status: str = ""

    @property
    def good(self) -> bool:
        return not (self.steady_difference or self.broken)

    @property
    def steady_difference(self) -> bool:
        """Seen in every watched run; any other difference may be a race in the case."""
        return bool(self.differences) and self.again == 3


class Engine:
    def __init__(self, tools: Toolbox, binary: str, only: str = "*"):
        self.tools = tools
        self.binary = binary
        self.only = only

    def chosen(self, cases: Iterable[Case]) -> list[Case]:
        if not any(letter in self.only for letter in "*?["):
            return [case for case in cases if self.only in case.name]
        return [case for case in cases if fnmatch.fnmatch(case.name, self.only)]

    def play_all(self, cases: Iterable[Case], jobs: int) -> Iterator[Outcome]:
        """Outcomes as they come. Each case runs in its own forked process."""
        waiting = list(cases)
        with selectors.DefaultSelector() as selector:
            while waiting or selector.get_map():
                while waiting and len(selector.get_map()) < jobs:
                    case = waiting.pop(0)
                    try:
                        self._prepare(case)
                    except Skip as why:
                        yield Outcome(case.name, skipped=str(why))
                        continue
                    reader, pid = self._fork(case)
                    patience = 20 + 8 * case.seconds
                    selector.register(
                        reader,
                        selectors.EVENT_READ,
                        (case, pid, bytearray(), time.monotonic() + patience),
                    )
                for key, _ in selector.select(0.5):
                    case, pid, said, _deadline = key.data
                    got = os.read(key.fd, 1 << 16)
                    said += got
                    if got:
                        continue
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    os.waitpid(pid, 0)
                    yield pickle.loads(said) if said else Outcome(case.name, broken="no answer")
                for key in list(selector.get_map().values()):
                    case, pid, _said, deadline = key.data
                    if time.monotonic() > deadline:
                        _end_tree(pid)

    def _prepare(self, case: Case) -> None:
        """Here and not in the forked process, so that found tools are remembered."""
        if case.root and os.geteuid() != 0:
            raise Skip("needs root")
        for need in case.needs:
            self.tools.check(need)
        for word in (*case.argv, case.script, *case.env.values()):
            self.tools.fill_in(word)

    def _fork(self, case: Case) -> tuple[int, int]:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid:
            os.close(writer)
            return reader, pid
        code = 1
        try:
            os.setsid()
            os.close(reader)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            outcome = self._play(case)
            with os.fdopen(writer, "wb") as stream:
                pickle.dump(outcome, stream)
            code = 0
        finally:
            os._exit(code)

    def _play(self, case: Case) -> Outcome:
        started = time.monotonic()
        outcome = Outcome(case.name)
        with tempfile.TemporaryDirectory(
            prefix="transparency-", ignore_cleanup_errors=True
        ) as name:
            folder = Path(name)
            folder.chmod(0o755)
            try:
                first, second = (self._once(case, folder, watched=False) for _ in range(2))
                watched = self._once(case, folder, watched=True)
                self._compare(outcome, first, second, watched)
                if outcome.differences:
                    outcome.again = 1
                    for _ in range(2):
                        more = Outcome(case.name)
                        watched = self._once(case, folder, watched=True)
                        self._compare(more, first, second, watched)
                        outcome.again += bool(more.differences)
            except Skip as why:
                outcome.skipped = str(why)
            except Exception:
                outcome.broken = traceback.format_exc()
        outcome.seconds = time.monotonic() - started
        return outcome

    def _once(self, case: Case, folder: Path, *, watched: bool) -> dict[str, bytes]:
        stage = Stage(case, self.tools, self.binary, folder, watched)
        said = in_a_fork(lambda: pickle.dumps(_shielded(stage.play)))
        seen = pickle.loads(said)
        if isinstance(seen, Exception):
            raise seen
        return seen

    def _compare(
        self,
        outcome: Outcome,
        first: dict[str, bytes],
        second: dict[str, bytes],
        watched: dict[str, bytes],
    ) -> None:
        outcome.status = first.get("status", b"").decode()
        for aspect in sorted({*first, *second, *watched}):
            nothing = b"(absent)"
            one, two = first.get(aspect, nothing), second.get(aspect, nothing)
            plain, _ = without_expected(outcome.case, aspect, one)
            other, _ = without_expected(outcome.case, aspect, two)
            seen, _ = without_expected(outcome.case, aspect, watched.get(aspect, nothing))
            if plain != other:
                outcome.unsteady.append(Difference(aspect, plain, other))
            elif plain != seen:
                outcome.differences.append(Difference(aspect, plain, seen))
            elif one != watched.get(aspect, nothing):
                outcome.expected += [e for e in EXPECTED if e.holds_for(outcome.case, aspect)]


def _shielded(work: Callable[[], object]) -> object:
    try:
        return work()
    except Skip as why:
        return why
    except Exception:
        return RuntimeError(traceback.format_exc())


def in_a_fork(work: Callable[[], bytes]) -> bytes:
    """In its own process: a stage becomes a subreaper, changes folders, and may be damaged."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reader)
            os.setsid()
            said = work()
            with os.fdopen(writer, "wb") as stream:
                stream.write(said)
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read()
    os.waitpid(pid, 0)
    if not said:
        raise RuntimeError("the stage died")
    return said


def _end_tree(pid: int) -> None:
    """Ends a case that hangs as a whole. Children first, and only below our own child."""
    for each in [*reversed(proc.descendants(pid)), pid]:
        try:
            handle = os.pidfd_open(each)
        except OSError:
            continue
        if each == pid or each in proc.descendants(pid):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)
