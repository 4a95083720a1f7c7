"""Worker processes for what only Python can do: they make samples and write them into the arena."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import mmap
import multiprocessing
import multiprocessing.connection
import os
import resource
import signal
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from holdfast._numbers import HELD
from holdfast.loader._arrays import Slot
from holdfast.loader._feeds import checked, finished, own_stats, places
from holdfast.loader._library import (
    BatchFacts,
    Core,
    LoaderError,
    Pass,
    SampleError,
    WorkerDied,
)
from holdfast.loader._samples import SampleLayout

_AT_BYTES = 8
_OOM_PATIENCE = 0.3  # seconds
_NOTHING = (1 << 64) - 1


class ProcessFeed:
    """Batches that worker processes make, each a whole one; given in order, whoever is first."""

    def __init__(self, core: Core, indexed: Any, options: dict[str, Any]):
        self.core = core
        self._indexed = indexed
        self._batch: int = options["batch"]
        self._torch: bool = options["torch"]
        self.count: int | None = indexed.count
        self.fingerprint: str = indexed.fingerprint
        self._options = options
        self.layout = SampleLayout(indexed.get(0, 0), self._batch)
        # Half of the budget is for what the workers need besides their batches.
        self._share = options["budget"] // 2 // options["processes"]
        if not core.reserve(self._share * options["processes"]):
            raise LoaderError("the budget has no room for the processes")
        # After a batch comes the number of the sample that its worker is making.
        self._facts = core.prepare(slot_bytes=self.layout.bytes + _AT_BYTES, count=indexed.count)
        self._workers: list[_Worker] = []
        self._pending: collections.deque[tuple[_Worker, Slot, int, int]] = collections.deque()
        self._pass = Pass()
        self._position = 0
        self._turn = 0
        self._seen = 0
        self._skipped: list[str] = []

    def name(self, index: int) -> str:
        name: str = self._indexed.name(index)
        return name

    def _start_workers(self) -> None:
        alive = [worker for worker in self._workers if worker.process.is_alive()]
        for worker in self._workers:
            if worker not in alive:
                worker.close()
        self._workers = alive
        while len(self._workers) < self._options["processes"]:
            place = f"/proc/{os.getpid()}/fd/{self._facts['fd']}"
            job = (self._indexed, self.layout, place, self._options["budget"], self._share)
            self._workers.append(_Worker(job, self._options["bad"] == "skip"))

    def start(self, a_pass: Pass) -> None:
        # A worker may still write into a slot of the previous pass: wait for its answer first.
        while self._pending:
            worker = self._pending.popleft()[0]
            with contextlib.suppress(WorkerDied, SampleError):
                worker.answer()
        self._start_workers()
        self._pass = a_pass
        self._position = a_pass.position

    def _give_work(self) -> None:
        while len(self._pending) < 2 * len(self._workers):
            samples, after = self.core.share(self._pass, self._position, self._batch)
            if not samples:
                return
            facts = BatchFacts()
            answer = self.core.take(facts)
            if answer == HELD and self._pending:
                return
            checked(answer, self.core)
            facts.rows = len(samples)
            slot = Slot(self.core, facts)
            self._at(slot).value = _NOTHING
            worker = self._workers[self._turn % len(self._workers)]
            self._turn += 1
            worker.give((slot.data - self._facts["base"], samples, self._pass.epoch))
            self._pending.append((worker, slot, len(samples), after))
            self._position = after

    def next(self) -> tuple[Any, int] | None:
        try:
            return self._next()
        except WorkerDied as death:
            raise WorkerDied(f"{death}{self._last_words(death)}") from None

    def _next(self) -> tuple[Any, int] | None:
        while True:
            self._give_work()
            if not self._pending:
                return None
            worker, slot, rows, after = self._pending[0]
            others = [one for one in self._workers if one is not worker]
            try:
                made, skipped, objects = worker.answer(others)
            except SampleError:
                self._pending.popleft()
                raise
            self._pending.popleft()
            self._skipped += skipped
            self._seen += made
            if not made:
                continue
            into = places(slot, self.layout, rows)
            for number, values in objects.items():
                into[number] = values
            return finished(into, made, self.layout, self._torch), after

    def _at(self, slot: Slot) -> Any:
        return ctypes.c_uint64.from_address(slot.data + self.layout.bytes)

    def _last_words(self, death: WorkerDied) -> str:
        """The sample that a dead worker was making, and what Holdfast knows of its end."""
        tasks = [one[1] for one in self._pending if one[0].process.pid == death.pid]
        at = [sample for sample in (self._at(slot).value for slot in tasks) if sample != _NOTHING]
        place = f" while it made {self.name(at[0])}" if at else ""
        cause, line = _cause(death)
        return place + cause + (line or self._code())

    def _code(self) -> str:
        """Where samples are made, if no better place is known."""
        code = getattr(getattr(type(self._indexed.dataset), "__getitem__", None), "__code__", None)
        return "" if code is None else f", in {code.co_filename}:{code.co_firstlineno}"

    def stats(self) -> dict[str, Any]:
        return own_stats(self.core, self._seen, self._skipped)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()
        self._workers = []
        self._pending.clear()
        self.core.close()


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, job: Any, skip: bool):
        context = multiprocessing.get_context()
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_work, args=(theirs, *job, skip), name="holdfast-loader", daemon=True
        )
        self.process.start()
        theirs.close()

    def give(self, task: Any) -> None:
        try:
            self._pipe.send(task)
        except OSError:
            self._died()

    def answer(self, others: list[_Worker] | None = None) -> Any:
        """The worker's result; raises a sample's error, or the death of this or another worker."""
        ends = {worker.process.sentinel: worker for worker in (self, *(others or ()))}
        while True:
            ready = multiprocessing.connection.wait([self._pipe, *ends], 0.2)
            if self._pipe in ready:
                try:
                    kind, value = self._pipe.recv()
                except (EOFError, OSError):
                    self._died()
                if kind == "error":
                    text, trace = value
                    raise SampleError(text + "\n\nin the worker:\n" + trace)
                return value
            for end in ready:
                ends[end]._died()

    def _died(self) -> Any:
        self.process.join(5)
        code = self.process.exitcode
        how = f"exit status {code}"
        if code is not None and code < 0:
            how = f"signal {signal.Signals(-code).name}"
        death = WorkerDied(f"worker process {self.process.pid} ended by {how}")
        death.pid = self.process.pid
        death.signal = -code if code is not None and code < 0 else None
        raise death

    def close(self) -> None:
        """Ends the worker: it has nothing that could be lost."""
        with contextlib.suppress(OSError):
            # Closing alone is not enough: workers forked later have this end of the pipe, too.
            self._pipe.send(None)
            self._pipe.close()
        self.process.join(1)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(5)


def _cause(death: WorkerDied) -> tuple[str, str]:
    """The cause and the line of the death, in a supervised run."""
    from holdfast._agent import status
    from holdfast._command import HoldfastError, ask

    run = status().directory
    if run is None:
        return "", ""
    # The kernel's log line about an OOM kill may come a moment after the death.
    until = time.monotonic() + (_OOM_PATIENCE if death.signal == signal.SIGKILL else 0.0)
    while True:
        try:
            verdict = ask("why", "--json", str(run))
        except HoldfastError:
            break
        for finding in (verdict.get("root"), verdict.get("end"), *verdict.get("contributing", [])):
            if finding and f"(pid {death.pid})" in finding.get("summary", ""):
                where = finding.get("where") or {}
                line = f", at {where['file']}:{where['line']}" if where.get("line") else ""
                return f": {finding['code']} {finding['slug']}, {finding['summary']}", line
        if time.monotonic() >= until:
            break
        time.sleep(0.1)
    return "", ""


def _work(
    pipe: Any, indexed: Any, layout: Any, place: str, budget: int, share: int, skip: bool
) -> None:
    """The life of a worker: until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides what an interrupt means
    fd = os.open(place, os.O_RDWR)
    arena = mmap.mmap(fd, budget)
    os.close(fd)
    memory = np.frombuffer(arena, np.uint8)
    _limit(share)
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        if task is None:
            return
        offset, samples, epoch = task
        try:
            pipe.send(("ok", _fill(memory, layout, indexed, offset, samples, epoch, skip)))
        except BrokenPipeError:
            return
        except BaseException as error:
            text = (
                str(error) if isinstance(error, SampleError) else f"{type(error).__name__}: {error}"
            )
            pipe.send(("error", (text, traceback.format_exc())))


def _fill(
    memory: Any, layout: Any, indexed: Any, offset: int, samples: list[int], epoch: int, skip: bool
) -> Any:
    into: list[Any] = []
    for field in layout.fields:
        if field is None:
            into.append([None] * len(samples))
            continue
        at, shape, dtype = field
        size = dtype.itemsize * len(samples) * int(np.prod(shape))
        part = memory[offset + at : offset + at + size]
        into.append(part.view(dtype).reshape(len(samples), *shape))
    rows = 0
    skipped = []
    at = memory[offset + layout.bytes :][:_AT_BYTES].view(np.uint64)
    for index in samples:
        at[0] = index
        try:
            sample = indexed.get(index, epoch)
            layout.put(sample, rows, into, partial(indexed.name, index))
        except SampleError as error:
            if not skip:
                raise
            skipped.append(str(error))
            continue
        rows += 1
    at[0] = _NOTHING
    objects = {i: into[i][:rows] for i, field in enumerate(layout.fields) if field is None}
    return rows, skipped, objects


def _limit(share: int) -> None:
    """Sets a limit, so that the worker gets a MemoryError before the kernel kills everybody."""
    try:
        text = Path("/proc/self/status").read_text()
        now = int(text.split("VmData:")[1].split()[0]) << 10
        resource.setrlimit(resource.RLIMIT_DATA, (now + share, resource.RLIM_INFINITY))
    except (OSError, ValueError, IndexError):
        pass
