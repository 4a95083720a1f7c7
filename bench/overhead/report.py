"""The tables, in Markdown, as the README shows them; and everything as JSON."""

from __future__ import annotations

import dataclasses
import statistics
from typing import Any

from instructions import Counted
from memory import Added
from rounds import Spread, Table, ratio
from tools import AGAIN, PEERS, PLAIN, WATCHED
from workloads import Program

MIB = 2**20


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def show(s: Spread | None, digits: int = 2) -> str:
    return "-" if s is None else f"{s.median:.{digits}f} ({s.low:.{digits}f}-{s.high:.{digits}f})"


def percent(fraction: float) -> str:
    return f"{fraction * 100:+.2f} %"


def percent_spread(s: Spread) -> str:
    return f"{percent(s.median)} ({s.low * 100:+.2f} to {s.high * 100:+.2f})"


def cpu_table(table: Table, counts: dict[Program, Counted]) -> str:
    tools = [WATCHED.name, AGAIN.name, *(t.name for t in PEERS)]
    present = [t for t in tools if any(t in row for row in table.values())]
    whys: dict[str, str] = {}
    rows = []
    for program, row in table.items():
        budget = "-" if program.budget is None else f"{program.budget * 100:g} %"
        counted = counts.get(program, Counted())
        instructions = "-" if counted.added is None else percent_spread(counted.added)
        once = "-" if counted.once is None else f"{counted.once.median / 1e6:.0f} M"
        if counted.absent:
            whys[f"instructions of {program.name}"] = counted.absent
        cells = [program.name, budget, instructions, once]
        for tool in present:
            cells.append(show(ratio(row, tool)) if tool in row else "-")
            if tool in row and row[tool].absent:
                whys[f"{tool} on {program.name}"] = row[tool].absent
        rows.append(cells)
    head = ["program", "budget", "instructions added", "added once", *present]
    notes = "".join(f"\nabsent: {what}: {why}" for what, why in whys.items())
    return markdown(head, rows) + ("\n" + notes if notes else "")


def storm_table(table: Table) -> str:
    rows = []
    for program, row in table.items():
        if row[WATCHED.name].absent:
            rows.append([program.name, "absent: " + row[WATCHED.name].absent, "-", "-", "-"])
            continue
        plain, watched = row[PLAIN.name].runs, row[WATCHED.name].runs
        each = statistics.median(
            [w.loop_cpu_s - p.loop_cpu_s for p, w in zip(plain, watched, strict=False)]
        )
        rows.append([program.name, show(ratio(row, WATCHED.name)),
                     show(ratio(row, WATCHED.name, "loop_wall_s")), f"{each * 1e6:.0f} us",
                     show(ratio(row, AGAIN.name)) if AGAIN.name in row else "-"])  # fmt: skip
    head = ["processes", "CPU", "wall", "CPU added to each", "plain again, CPU"]
    return markdown(head, rows)


def memory_table(memory: list[Added]) -> str:
    rows = []
    for added in memory:
        if added.absent:
            rows.append([added.what, "absent: " + added.absent, "-", "-"])
        else:
            rows.append([added.what, *(show(s, 0) for s in
                         (added.own_kib, added.own_private_kib, added.total_kib))])  # fmt: skip
    head = ["KiB added to", "agent's mappings", "private and dirty", "all told, against plain"]
    return markdown(head, rows)


def other_figures(table: Table) -> list[list[str]]:
    """Start-up and end, files, and the rate of the churn."""
    rows = []
    tools = [WATCHED.name, *(t.name for t in PEERS)]
    for tool in tools:
        runs = [(r, p) for row in table.values() if tool in row
                for r, p in zip(row[tool].runs, row[PLAIN.name].runs, strict=False)]  # fmt: skip
        if not runs:
            continue
        outside = [r.outside_cpu_s - p.outside_cpu_s for r, p in runs
                   if r.outside_cpu_s is not None and p.outside_cpu_s is not None]  # fmt: skip
        files = [r.output_bytes for r, _ in runs if r.output_bytes is not None]
        rows.append(
            [
                tool,
                f"{statistics.median(outside) * 1e3:.0f} ms" if outside else "not run to its end",
                f"{max(files) / MIB:.2f} MiB" if files else "-",
            ]
        )
    return rows


def rates(table: Table) -> list[str]:
    lines = []
    for program, row in table.items():
        speeds = {name: statistics.median([r.bytes_per_s for r in figures.runs]) / 1e9
                  for name, figures in row.items() if figures.runs}  # fmt: skip
        if speeds.get(PLAIN.name):
            each = ", ".join(f"{name} {speed:.1f}" for name, speed in speeds.items())
            lines.append(f"{program.name}, GB/s: {each}")
    return lines


def whole_report(table: Table, storms: Table, counts: dict[Program, Counted], memory: list[Added],
                 rounds: int, scale: float) -> str:  # fmt: skip
    parts = []
    if table:
        parts += [f"CPU time of the main loop, ratio to plain: median of {rounds} interleaved"
                  " rounds (lowest-highest).\n", cpu_table(table, counts), "", *rates(table), "",
                  markdown(["tool", "CPU outside the loop, added", "files, at most"],
                           other_figures(table)), ""]  # fmt: skip
    if storms:
        count = round(next(iter(storms)).loops * scale)
        parts += [
            f"{count:,} short processes one after the other, ratio to plain.\n",
            storm_table(storms),
            "",
        ]
    if memory:
        parts += [memory_table(memory), ""]
    return "\n".join(parts)


def to_publish_instructions(counts: dict[Program, Counted]) -> dict[str, str]:
    """A cell for each program that was counted."""
    return {program.name: f"{counted.added.median * 100:.1f} %"
            for program, counted in counts.items() if counted.added}  # fmt: skip


def to_publish_ratios(table: Table, tool: str) -> dict[str, str]:
    """The median ratio of a tool to plain, for each program that it ran."""
    found = {program.name: ratio(row, tool) for program, row in table.items() if tool in row}
    return {name: f"{s.median:.{1 if s.median >= 10 else 2}f}" for name, s in found.items() if s}


def to_publish_storms(storms: Table) -> list[list[str]]:
    rows = []
    for program, row in storms.items():
        s = ratio(row, WATCHED.name)
        if s is None:
            continue
        runs = list(zip(row[PLAIN.name].runs, row[WATCHED.name].runs, strict=False))
        each = statistics.median([w.loop_cpu_s - p.loop_cpu_s for p, w in runs])
        name = f"`{program.name}`" if program.name.startswith("/") else program.name
        cpu = f"{s.median:.2f} ({s.low:.2f} to {s.high:.2f})"
        rows.append([name, str(len(runs)), cpu, f"{each * 1e3:.2f} ms"])
    return rows


def over_budget(table: Table, counts: dict[Program, Counted], memory: list[Added]) -> list[str]:
    """Counted instructions decide; CPU time counts only beyond what noise explains."""
    over = []
    for program, row in table.items():
        if program.budget is None:
            continue
        counted, cpu = counts.get(program, Counted()).added, ratio(row, WATCHED.name)
        if counted is not None and counted.median > program.budget + 0.001:
            over.append(f"{program.name}: {percent(counted.median)} instructions")
        if cpu is not None and cpu.median - 1 > program.budget + 0.08:
            over.append(f"{program.name}: {percent(cpu.median - 1)} CPU")
        if WATCHED.name in row and row[WATCHED.name].absent:
            over.append(f"{program.name}: not measured: {row[WATCHED.name].absent}")
    over += [f"{m.what}: {m.own_kib.median:.0f} KiB" for m in memory if m.own_kib.median > 4096]
    return over


def as_json(table: Table, counts: dict[Program, Counted], memory: list[Added]) -> dict[str, Any]:
    programs = {
        program.name: {
            "budget": program.budget,
            "instructions": dataclasses.asdict(counts[program]) if program in counts else None,
            "tools": {
                tool: {
                    "absent": figures.absent or None,
                    "runs": [dataclasses.asdict(run) for run in figures.runs],
                }
                for tool, figures in row.items()
            },
        }
        for program, row in table.items()
    }
    return {"programs": programs, "memory": [dataclasses.asdict(m) for m in memory]}
