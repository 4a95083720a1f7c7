"""Instructions counted by callgrind: they repeat within 0.1 %, CPU time only within 8 %.

Only the loop is counted, at two lengths. The difference shows what each further turn costs; the
rest was added once, however long the program runs (compiled hooks, the first look for keepers). A
program under valgrind is some fifty times slower, so everything that the agent does by the clock
(its windows, its looks) is counted fifty times too often, and its limit on samples per second never
takes effect: the result is an upper bound.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rounds import Spread, spread
from tools import (
    HOLDFAST,
    Failed,
    last_line,
    output_folder,
    progress,
    run_command,
    run_environment,
)
from workloads import Program


@dataclass(frozen=True)
class Pair:
    """Instructions of the loop, plain and watched."""

    plain: int
    watched: int

    @property
    def added(self) -> int:
        return self.watched - self.plain


@dataclass(frozen=True)
class Counted:
    added: Spread | None = None  # to each turn of the loop, as a fraction of plain's
    once: Spread | None = None  # instructions added once
    short: tuple[Pair, ...] = ()
    long: tuple[Pair, ...] = ()  # of twice as many turns
    absent: str = ""


def build_counter(folder: Path) -> Path:
    library = folder / "counter.so"
    source = Path(__file__).with_name("counter.cc")
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or "c++"
    try:
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", str(source), "-o", str(library)],
                       check=True, capture_output=True)  # fmt: skip
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failed("no compiler, or valgrind's headers are missing") from error
    return library


def count(python: str, program: Program, loops: int, counter: Path, watched: bool, limit_s: float
          ) -> int:  # fmt: skip
    with output_folder() as out:
        # The agent is loaded, too: it is in valgrind's launcher, which hands LD_PRELOAD on.
        command = [HOLDFAST, "run", "--quiet", "--"] if watched else []
        command += ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}/counts",
                    "--instr-atstart=no", "--trace-children=no",
                    python, *program.command(loops)]  # fmt: skip
        environment = run_environment(out, (("BENCH_COUNTER", str(counter)),))
        ended = run_command(command, environment, out, limit_s)
        if ended.status != 0:
            raise Failed(f"exit {ended.status}: {last_line(ended.stderr)}")
        if watched and '"agent": "in its slot"' not in ended.stdout:
            raise Failed("the agent was not at work under valgrind")
        totals = re.search(r"^totals: (\d+)", (out / "counts").read_text(), re.MULTILINE)
        if totals is None:
            raise Failed("callgrind wrote no totals")
        return int(totals[1])


def count_program(python: str, program: Program, counter: Path, repeats: int, scale: float,
                  limit_s: float) -> Counted:  # fmt: skip
    loops = max(1, round(program.counted * scale))
    short: list[Pair] = []
    long: list[Pair] = []
    try:
        for number in range(repeats):
            for turns, pairs in ((loops, short), (2 * loops, long)):
                progress(f"counting {program.name}, {number + 1}/{repeats}, {turns} turns")
                plain, watched = (count(python, program, turns, counter, watched, limit_s)
                                  for watched in (False, True))  # fmt: skip
                pairs.append(Pair(plain, watched))
    except Failed as failed:
        return Counted(absent=str(failed))
    both = list(zip(short, long, strict=True))
    return Counted(
        added=spread([(b.added - a.added) / (b.plain - a.plain) for a, b in both]),
        once=spread([2 * a.added - b.added for a, b in both]),
        short=tuple(short),
        long=tuple(long),
    )


def count_all(python: str, programs: Sequence[Program], jobs: int, repeats: int, scale: float,
              limit_s: float) -> dict[Program, Counted]:  # fmt: skip
    if shutil.which("valgrind") is None:
        return {p: Counted(absent="no valgrind") for p in programs}
    with output_folder() as folder:
        try:
            counter = build_counter(folder)
        except Failed as failed:
            return {p: Counted(absent=str(failed)) for p in programs}
        # Neighbours do not change counts, unlike times.
        with ThreadPoolExecutor(jobs) as pool:
            pending = {p: pool.submit(count_program, python, p, counter, repeats, scale, limit_s)
                       for p in programs if p.counted}  # fmt: skip
            results = {program: future.result() for program, future in pending.items()}
    progress("")
    return results
