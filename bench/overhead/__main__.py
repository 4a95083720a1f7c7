#!/usr/bin/env python3
"""What the agent costs, beside other memory tools in the same run: prints the README's tables."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import results
from instructions import Counted, count_all
from memory import measure_memory
from report import (
    as_json,
    over_budget,
    to_publish_instructions,
    to_publish_ratios,
    to_publish_storms,
    whole_report,
)
from rounds import Table, run_rounds
from tools import AGAIN, HOLDFAST, PEERS, WATCHED, can_import
from workloads import PROGRAMS, STORMS, Program


def choose_python() -> str:
    """The first Python found that has torch; else the one we run under."""
    candidates = [sys.executable, "python3", "python"]
    return next((p for p in candidates if can_import(p, "torch")), sys.executable)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/overhead", description=__doc__)
    parser.add_argument("--python", help="runs the programs; should have torch, pandas, the tools")
    parser.add_argument("--quick", action="store_true", help="one round, short loops: does it run?")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help="programs with this in their names", default="")
    parser.add_argument("--tools", help="only these, with commas between; plain always runs")
    parser.add_argument("--skip", default="", help="times, storms, instructions, memory")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one run of a tool")
    parser.add_argument("--within", type=float, default=math.inf, metavar="SECONDS",
                        help="begin no run of a tool after that")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1),
                        help="callgrinds at the same time")  # fmt: skip
    parser.add_argument("--repeats", type=int, default=3, help="counts of each program")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true",
                        help="also into bench/results, for the documents")  # fmt: skip
    parser.add_argument("--column", metavar="NAME", default=WATCHED.name,
                        help="that Holdfast's ratios get there")  # fmt: skip
    return parser.parse_args()


def publish(python: str, column: str, table: Table, storms: Table,
            counts: dict[Program, Counted]) -> None:  # fmt: skip
    """Into the tables of docs/costs.md."""
    ask = "import sys; print('Python %d.%d' % sys.version_info[:2])"
    version = subprocess.check_output([python, "-c", ask], text=True).strip()
    command = "bench/overhead --write"
    if cells := to_publish_instructions(counts):
        results.write_column("overhead-instructions", command, "program", version, cells)
    for tool, name in (
        (WATCHED.name, column),
        (AGAIN.name, AGAIN.name),
        *((t.name, t.name) for t in PEERS),
    ):
        if cells := to_publish_ratios(table, tool):
            results.write_column("overhead-tools", command, "program", name, cells)
    if rows := to_publish_storms(storms):
        head = ["", "rounds", "CPU", "added to each"]
        results.write_rows("overhead-processes", command, head, rows)


def main() -> int:
    chosen = options()
    python = chosen.python or os.environ.get("BENCH_PYTHON") or choose_python()
    if os.sep in python:
        python = str(Path(python).absolute())  # not resolved: an environment's is a link
    if not Path(HOLDFAST).exists():
        sys.exit(f"bench/overhead: no {HOLDFAST}; run make build, or set HOLDFAST_BIN")
    rounds, scale, seconds = (1, 0.05, 1.0) if chosen.quick else (chosen.rounds, 1.0, 10.0)
    wanted = {t.strip().lower() for t in chosen.tools.split(",")} if chosen.tools else None
    skipped = {part.strip() for part in chosen.skip.split(",")}
    programs = [p for p in PROGRAMS if chosen.only.lower() in p.name.lower()]
    storms = [p for p in STORMS if chosen.only.lower() in p.name.lower()]
    if "storms" in skipped:
        storms = []

    until = time.monotonic() + chosen.within
    table = run_rounds(python, programs, 0 if "times" in skipped else rounds, scale, chosen.limit,
                       wanted, until)  # fmt: skip
    storm_times = run_rounds(python, storms, rounds, scale, chosen.limit, wanted, until)
    counts = {}
    if "instructions" not in skipped:
        # valgrind takes a minute only to import torch.
        counted = [p for p in programs if not (chosen.quick and p.needs)]
        repeats = 1 if chosen.quick else chosen.repeats
        counts = count_all(python, counted, chosen.jobs, repeats, scale, chosen.limit)
    memory = [] if "memory" in skipped else measure_memory(python, rounds, seconds)

    print(whole_report(table, storm_times, counts, memory, rounds, scale))
    if chosen.json:
        result = as_json({**table, **storm_times}, counts, memory)
        chosen.json.write_text(json.dumps({"rounds": rounds, "python": python, **result}, indent=1))
    if chosen.write:
        publish(python, chosen.column, table, storm_times, counts)
    over = over_budget(table, counts, memory)
    for line in over:
        print(f"over budget: {line}")
    # A quick run is too short to judge by; it only has to run through.
    return 1 if over and not chosen.quick else 0


if __name__ == "__main__":
    sys.exit(main())
