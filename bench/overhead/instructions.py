"""Instructions counted by callgrind: they repeat within 0.1 %, where CPU time here is good to 8 %.

Each program runs with two loop counts, and the difference is the loop alone. A program
under valgrind is some fifty times slower, so all that the agent does by the clock (its windows, its
look around) is counted fifty times too often, and its limit on samples per second never bites: what
comes out is an upper bound.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools import HOLDFAST, Failed, last_line, progress, run_command, run_environment
from workloads import Program


@dataclass(frozen=True)
class Counted:
    plain: int = 0
    holdfast: int = 0
    absent: str = ""

    @property
    def added(self) -> float | None:
        return self.holdfast / self.plain - 1 if self.plain else None


def count(python: str, program: Program, loops: int, watched: bool, limit_s: float) -> int:
    with tempfile.TemporaryDirectory(prefix="holdfast-overhead-") as folder:
        out = Path(folder)
        # The agent rides along: it is in valgrind's launcher, which hands LD_PRELOAD on.
        command = [HOLDFAST, "run", "--quiet", "--"] if watched else []
        command += ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}/counts",
                    "--trace-children=no", python, *program.command(loops)]  # fmt: skip
        ended = run_command(command, run_environment(out), out, limit_s)
        if ended.status != 0:
            raise Failed(f"exit {ended.status}: {last_line(ended.stderr)}")
        if watched and '"agent": "in its slot"' not in ended.stdout:
            raise Failed("the agent was not at work under valgrind")
        totals = re.search(r"^totals: (\d+)", (out / "counts").read_text(), re.MULTILINE)
        if totals is None:
            raise Failed("callgrind wrote no totals")
        return int(totals[1])


def count_all(python: str, programs: Sequence[Program], jobs: int, limit_s: float, scale: float
              ) -> dict[Program, Counted]:  # fmt: skip
    if shutil.which("valgrind") is None:
        return {p: Counted(absent="no valgrind") for p in programs}

    def one(program: Program, loops: int, watched: bool) -> int | str:
        try:
            counted = count(python, program, loops, watched, limit_s)
            progress(f"counted: {program.name}, {loops} loops")
            return counted
        except Failed as failed:
            return str(failed)

    # Counts do not mind a neighbour, unlike times.
    with ThreadPoolExecutor(jobs) as pool:
        pending = {}
        for program in programs:
            if program.counted is None:
                continue
            few = program.counted[0]
            many = few + max(1, round((program.counted[1] - few) * scale))
            pending[program] = [pool.submit(one, program, loops, watched)
                                for watched in (False, True) for loops in (few, many)]  # fmt: skip
        results = {}
        for program, futures in pending.items():
            counts = [future.result() for future in futures]
            whys = [c for c in counts if isinstance(c, str)]
            numbers = [c for c in counts if isinstance(c, int)]
            results[program] = (
                Counted(absent=whys[0]) if whys
                else Counted(numbers[1] - numbers[0], numbers[3] - numbers[2])
            )  # fmt: skip
    progress("")
    return results
