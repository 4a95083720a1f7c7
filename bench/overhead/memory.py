"""Memory that the agent adds to a process: in its own mappings, and in all, against plain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rounds import Spread, spread
from tools import HOLDFAST, Failed, last_line, output_folder, run_command, run_environment
from workloads import FOLDER

HEAD = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ (\d+) *(.*)$")


@dataclass
class Mapping:
    name: str
    figures: dict[str, int]  # KiB
    flags: frozenset[str]

    @property
    def agents(self) -> bool:
        """The library, its boxes, and its tables: memory that fork wipes."""
        ours = "holdfast" in self.name or "agent.box" in self.name or "crash.box" in self.name
        return ours or "wf" in self.flags


@dataclass(frozen=True)
class Added:
    what: str
    own_kib: Spread  # proportional share of the agent's mappings
    own_private_kib: Spread
    total_kib: Spread | None  # against plain; includes what the allocator does differently
    absent: str = ""


def parse(smaps: str) -> list[Mapping]:
    mappings: list[Mapping] = []
    for line in smaps.splitlines():
        if head := HEAD.match(line):
            mappings.append(Mapping(head[3], {}, frozenset()))
        elif mappings and line.startswith("VmFlags:"):
            mappings[-1].flags = frozenset(line.split()[1:])
        elif mappings and line.endswith(" kB"):
            name, value, _ = line.split()
            mappings[-1].figures[name.rstrip(":")] = int(value)
    return mappings


def total(mappings: list[Mapping], *figures: str) -> int:
    return sum(m.figures.get(f, 0) for m in mappings for f in figures)


def mappings_of(command: list[str], watched: bool) -> list[Mapping]:
    with output_folder() as out:
        prefix = [HOLDFAST, "run", "--quiet", "--"] if watched else []
        ended = run_command(prefix + command, run_environment(out), out, limit_s=120)
        if ended.status != 0:
            raise Failed(f"exit {ended.status}: {last_line(ended.stderr)}")
        return parse(ended.stdout)


def added(what: str, command: list[str], rounds: int) -> Added:
    plain, watched = [], []
    try:
        for _ in range(rounds):
            plain.append(mappings_of(command, watched=False))
            watched.append(mappings_of(command, watched=True))
        if not any("holdfast" in m.name for m in watched[0]):
            raise Failed("the agent was not loaded")
    except Failed as failed:
        nothing = Spread(0, 0, 0)
        return Added(what, nothing, nothing, None, str(failed))
    own = [[m for m in run if m.agents] for run in watched]
    return Added(
        what,
        spread([total(run, "Pss") for run in own]),
        spread([total(run, "Private_Dirty") for run in own]),
        spread([total(w, "Pss") - total(p, "Pss") for p, w in zip(plain, watched, strict=True)]),
    )


def measure_memory(python: str, rounds: int, seconds: float) -> list[Added]:
    resident = str(FOLDER / "resident.py")
    return [
        added("Python with 8 threads", [python, resident, str(seconds)], rounds),
        added("a process without Python (cat)", ["cat", "/proc/self/smaps"], rounds),
    ]
