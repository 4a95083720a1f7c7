"""The rounds: every tool on every program, one after the other, again and again."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools import (
    AGAIN,
    PEERS,
    PLAIN,
    WATCHED,
    Failed,
    Measured,
    Tool,
    can_import,
    measure,
    progress,
)
from workloads import Program


@dataclass
class Figures:
    """The runs of a tool on one program, one per round, or why there is none."""

    runs: list[Measured] = field(default_factory=list)
    absent: str = ""


@dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    return Spread(statistics.median(values), min(values), max(values))


Table = dict[Program, dict[str, Figures]]


def ratio(row: dict[str, Figures], tool: str, figure: str = "loop_cpu_s") -> Spread | None:
    """To the plain run of the same round: so what slows a whole round down cancels out."""
    # The lists differ in length if time ran out within a round.
    pairs = list(zip(row[PLAIN.name].runs, row[tool].runs, strict=False))
    if not pairs:
        return None
    return spread([getattr(other, figure) / getattr(plain, figure) for plain, other in pairs])


def tools_for(program: Program, wanted: set[str] | None) -> list[Tool]:
    tools = [PLAIN, WATCHED, AGAIN, *(PEERS if program.peers else ())]
    return [t for t in tools if t is PLAIN or wanted is None or t.name.lower() in wanted]


def missing_modules(python: str, programs: Sequence[Program], tools: Sequence[Tool]) -> set[str]:
    modules = {m for p in programs for m in p.needs} | {t.module for t in tools if t.module}
    return {module for module in sorted(modules) if not can_import(python, module)}


def watched_well(run: Measured) -> str:
    return "" if run.agent == "in its slot" else f"the agent was not at work (state: {run.agent})"


def run_rounds(python: str, programs: Sequence[Program], rounds: int, scale: float, limit_s: float,
               wanted: set[str] | None, until: float = math.inf) -> Table:  # fmt: skip
    """No run begins after `until`, by the monotonic clock."""
    table: Table = {p: {t.name: Figures() for t in tools_for(p, wanted)} for p in programs}
    missing = missing_modules(python, programs, PEERS)
    for program, row in table.items():
        lacking = [m for m in program.needs if m in missing]
        for tool in tools_for(program, wanted):
            if lacking:
                row[tool.name].absent = f"no {lacking[0]}"
            elif tool.module in missing:
                row[tool.name].absent = "not installed"
    for number in range(rounds):
        for program, row in table.items():
            tools = tools_for(program, wanted)
            # Each round begins with another tool: the first after a pause has a cooler, faster CPU.
            turned = tools[number % len(tools) :] + tools[: number % len(tools)]
            for tool in turned:
                figures = row[tool.name]
                if figures.absent or time.monotonic() > until:
                    continue
                progress(f"round {number + 1}/{rounds}: {program.name}, {tool.name}")
                try:
                    run = measure(tool, python, program, scale, limit_s)
                    if tool is WATCHED and (why := watched_well(run)):
                        raise Failed(why)
                    figures.runs.append(run)
                except Failed as failed:
                    figures.absent, figures.runs = str(failed), []
    progress("")
    return table
