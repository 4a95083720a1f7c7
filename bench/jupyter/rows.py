"""Runs the trials of a row several at a time, and no longer than a row may take.

A trial that was not run when time was up does not count as right: it is reported as left out.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.guard.groups import Group
from bench.jupyter.place import Place

LIMIT_MIB = 320
Trial = Callable[[Place, int], bool]


@dataclass
class Tally:
    """How many of the trials that ran went right, and how many were asked for."""

    yes: int = 0
    played: int = 0
    asked: int = 0

    @property
    def left_out(self) -> int:
        return self.asked - self.played

    def __str__(self) -> str:
        more = f" ({self.left_out} not played, time was up)" if self.left_out else ""
        return f"{self.yes} of {self.played}{more}"

    @property
    def no(self) -> str:
        """The trials that did not say yes, for rows in which silence is right."""
        more = f" ({self.left_out} not played, time was up)" if self.left_out else ""
        return f"{self.played - self.yes} of {self.played}{more}"

    @property
    def wrong(self) -> int:
        """Trials that are not known to be right."""
        return self.asked - self.yes


@dataclass(frozen=True)
class Pace:
    """How many trials at a time, after how many seconds no new one starts, and whether the row goes
    into bench/results."""

    jobs: int
    seconds: float
    write: bool = False


@contextlib.contextmanager
def a_place(limited: bool) -> Iterator[Place]:
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-jupyter-") as folder,
        Group(LIMIT_MIB) if limited else contextlib.nullcontext() as group,
    ):
        yield Place(Path(folder) / "place", group)


def play(trials: Sequence[Trial], count: int, pace: Pace, limited: bool) -> list[Tally]:
    """Each so many times, in turns, so that a short time still gives a little of each."""
    tallies = [Tally(asked=count) for _ in trials]
    turns = itertools.product(range(count), range(len(trials)))
    guard = threading.Lock()
    end = time.monotonic() + pace.seconds

    def work() -> None:
        with a_place(limited) as place:
            while time.monotonic() < end:
                with guard:
                    turn = next(turns, None)
                if turn is None:
                    return
                number, at = turn
                try:
                    good = trials[at](place, number)
                except Exception as error:  # the front end itself failed
                    print(f"  failed: {str(error)[:400]}", file=sys.stderr)
                    good = False
                with guard:
                    tallies[at].yes += good
                    tallies[at].played += 1

    with ThreadPoolExecutor(pace.jobs) as pool:
        for worker in [pool.submit(work) for _ in range(pace.jobs)]:
            worker.result()  # raises if no place could be made
    return tallies


def bounded(count: int, pace: Pace) -> Iterator[int]:
    """Numbers up to `count`, for those that are played one after the other."""
    end = time.monotonic() + pace.seconds
    return itertools.takewhile(lambda _: time.monotonic() < end, range(count))
